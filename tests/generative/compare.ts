/** Runs a scenario on every way, program by program, until two ways differ. */

import type { CatalogChange } from '#catalog';
import type { Program } from '#pir';
import { copyDatabase, type Database, type Outcome } from '../oracle/index.ts';
import { type Answer, differenceOf, isSameBag, showAnswer } from './answer.ts';
import { techniquesOf } from './rewrites.ts';
import { type Mode, OracleWay, openWay, plannings, type Way } from './ways.ts';

export interface Scenario {
  readonly changes: readonly CatalogChange[];
  /** Fill the tables; compared, but not counted. */
  readonly seeds: readonly Program[];
  readonly programs: readonly Program[];
}

export interface Difference {
  readonly program: Program;
  /** What the oracle's tables held before it. */
  readonly before: Database;
  readonly expected: Outcome;
  /** Who answered what, and what is wrong with it. */
  readonly report: string;
}

export interface Run {
  readonly program: Program;
  readonly expected: Outcome;
  /** Kinds of operators that some way ran it with. */
  readonly operators: ReadonlySet<string>;
  /** Techniques of the planner that it is about; undefined where nobody looked. */
  readonly techniques: readonly string[] | undefined;
}

/** `seen` is told of every program that ran after the seeds. */
export async function compareScenario(
  { changes, seeds, programs }: Scenario,
  mode: Mode,
  seen: (run: Run) => void = () => {},
): Promise<Difference | undefined> {
  const ways = await Promise.all(
    Object.keys(plannings).map((name) => openWay(name, mode, changes)),
  );
  const oracle = new OracleWay(mode, changes);
  try {
    for (const program of [...seeds, ...programs]) {
      const writes = program.statements.some(({ kind }) => kind !== 'query');
      const before = writes ? copyDatabase(oracle.database) : oracle.database;
      const expected = oracle.run(program);
      const operators = new Set<string>();
      const report = await reportOf(ways, { program, expected, operators });
      if (!seeds.includes(program)) {
        // Planning so often takes longer than running: of each scenario one program.
        const isLooked = program === programs[0];
        const techniques = isLooked ? techniquesOf(program, (ways[0] as Way).catalog) : undefined;
        seen({ program, expected, operators, techniques });
      }
      if (report !== undefined) return { program, before, expected, report };
      if (!writes) continue;
      // The ways may have gone apart, and may do so.
      if (isOpen(expected)) return undefined;
      const left = await tableReport(ways, oracle);
      if (left !== undefined) return { program, before, expected, report: left };
    }
    return undefined;
  } finally {
    for (const way of ways) await way[Symbol.asyncDispose]();
  }
}

export function isOpen(outcome: Outcome): boolean {
  return outcome.kind === 'open' || (outcome.kind === 'done' && outcome.isAmbiguous);
}

async function reportOf(
  ways: readonly Way[],
  {
    program,
    expected,
    operators,
  }: Pick<Run, 'program' | 'expected'> & {
    readonly operators: Set<string>;
  },
): Promise<string | undefined> {
  const lines = [`oracle: ${showAnswer(expected)}`];
  let differs = false;
  for (const way of ways) {
    const answer: Answer = await way.run(program);
    if (answer.kind === 'done') for (const kind of answer.operators) operators.add(kind);
    const difference = differenceOf(expected, answer);
    differs ||= difference !== undefined;
    lines.push(`${way.name}: ${showAnswer(answer)}${difference ? `  <-- ${difference}` : ''}`);
  }
  return differs ? lines.join('\n') : undefined;
}

/** Every table, on every way. */
async function tableReport(ways: readonly Way[], oracle: OracleWay): Promise<string | undefined> {
  for (const [name, expected] of oracle.tables()) {
    for (const way of ways) {
      const rows = await way.table(name);
      if (isSameBag(rows, expected)) continue;
      const show = (texts: readonly string[]) => [...texts].sort().join('\n  ');
      return `table ${name}\noracle:\n  ${show(expected)}\n${way.name}:  <-- another state\n  ${show(rows)}`;
    }
  }
  return undefined;
}
