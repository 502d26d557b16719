/** Fills two large tables on every way, asks and changes them, and compares each answer with the reference. */

import { DatabaseError } from '#failure';
import type { Datum } from '#value';
import { checkProgram } from '#wire';
import { addPlanParts } from '../plan-parts.ts';
import { changeOf, contentOf, fillingOf } from './changes.ts';
import { Draw } from './choices.ts';
import { creationOf, type LargeTable, largeTables } from './data.ts';
import { type Question, questionOf } from './questions.ts';
import { type LargeWay, openLargeWays } from './ways.ts';

export interface LargeScenario {
  readonly seed: number;
  readonly rows: number;
  readonly questions: number;
  /** Also the way with plans that may be very bad. */
  readonly withMisled: boolean;
}

export interface LargeRun {
  /** What differed, for people; undefined: nothing. */
  readonly difference: string | undefined;
  /** How often each shape was asked, and each operator was run by each way. */
  readonly counts: ReadonlyMap<string, number>;
}

const changesEvery = 12;
const options = { showPlan: false, dryRun: false };

export async function compareLarge(scenario: LargeScenario): Promise<LargeRun> {
  const draw = new Draw(scenario.seed);
  const tables = largeTables(draw, scenario.rows);
  const ways = await openLargeWays(scenario.withMisled);
  const counts = new Map<string, number>();
  const run = new Comparison(ways, counts);
  try {
    const difference = await run.all(draw, tables, scenario.questions);
    return { difference: difference && `${JSON.stringify(scenario)}\n${difference}`, counts };
  } finally {
    for (const { engine } of ways) await engine.close();
  }
}

class Comparison {
  private readonly ways: readonly LargeWay[];
  private readonly counts: Map<string, number>;

  constructor(ways: readonly LargeWay[], counts: Map<string, number>) {
    this.ways = ways;
    this.counts = counts;
  }

  async all(
    draw: Draw,
    [l, r]: readonly [LargeTable, LargeTable],
    questions: number,
  ): Promise<string | undefined> {
    for (const table of [l, r]) {
      for (const statement of [creationOf(table), ...fillingOf(table)]) await this.write(statement);
    }
    for (let i = 1; i <= questions; i++) {
      const difference =
        i % changesEvery === 0
          ? await this.change(draw, draw.oneIn(2) ? l : r)
          : await this.ask(questionOf(draw, l, r));
      if (difference !== undefined) return `question ${i}: ${difference}`;
    }
    return undefined;
  }

  private async change(draw: Draw, table: LargeTable): Promise<string | undefined> {
    const { statement, rows, affected } = changeOf(draw, table);
    table.rows = rows;
    for (const [way, found] of await this.write(statement)) {
      if (found !== affected) {
        return `${way}: affected ${found}, expected ${affected}: ${JSON.stringify(statement)}`;
      }
    }
    const content = contentOf(table);
    return this.ask({
      shape: 'all rows after a change',
      nodes: content.nodes,
      expected: content.rows,
      collapses: false,
    });
  }

  /** The rows that each way says it changed. */
  private async write(statement: object): Promise<Map<string, number | undefined>> {
    const program = checkProgram({ statements: [statement] });
    const affected = new Map<string, number | undefined>();
    for (const { name, engine } of this.ways) {
      const { statements } = await engine.execute({ program: () => program, ...options });
      affected.set(name, statements[0]?.affected);
      // Flushes and merges of a store in memory take some turns, and no time.
      for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
    }
    return affected;
  }

  private async ask({ shape, nodes, expected, collapses }: Question): Promise<string | undefined> {
    const root = { node: Object.keys(nodes).at(-1), cardinality: 'many' };
    const statement = { kind: 'query', name: 'q', relation: { nodes, root } };
    const program = checkProgram({ statements: [statement], result: 'q' });
    const right =
      'refused' in expected ? expected.refused : expected.map((row) => textOf(row, collapses));
    this.add(`shape ${shape.split(' ')[0]}`);
    for (const { name, engine, times } of this.ways) {
      for (let turn = 1; turn <= times; turn++) {
        const answer = await this.answerOf(name, engine, program, collapses);
        if (answer === 'deadline_exceeded') {
          this.add(`late ${name}`);
          continue;
        }
        const difference = differenceOf(answer, right);
        if (difference !== undefined) {
          return `${shape}: ${name}, plan ${turn}: ${difference}\n${abbreviated(JSON.stringify(nodes))}`;
        }
      }
    }
    return undefined;
  }

  /** The texts of rows, or the reason of a refusal. */
  private async answerOf(
    way: string,
    engine: LargeWay['engine'],
    program: ReturnType<typeof checkProgram>,
    collapses: boolean,
  ): Promise<readonly string[] | string> {
    try {
      const { result, prepared } = await engine.execute({ program: () => program, ...options });
      addPlanParts(prepared, (part) => this.add(`operator ${way} ${part}`));
      return result?.rows.map((row) => textOf(row, collapses)) ?? [];
    } catch (error) {
      if (error instanceof DatabaseError) return error.failure.reason;
      throw error;
    }
  }

  private add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}

function differenceOf(
  answer: readonly string[] | string,
  right: readonly string[] | string,
): string | undefined {
  if (typeof answer === 'string' || typeof right === 'string') {
    const show = (of: readonly string[] | string) =>
      typeof of === 'string' ? of : `${of.length} rows`;
    return answer === right ? undefined : `${show(answer)}, expected ${show(right)}`;
  }
  const at = right.findIndex((text, i) => text !== answer[i]);
  if (at < 0 && answer.length === right.length) return undefined;
  const i = at < 0 ? right.length : at;
  return `${answer.length} rows, expected ${right.length}; row ${i} is\n${answer[i]}, expected\n${right[i]}`;
}

function textOf(datum: Datum, collapses: boolean): string {
  if (Array.isArray(datum)) return `[${datum.map((part) => textOf(part, collapses)).join()}]`;
  if (typeof datum === 'string') return JSON.stringify(datum);
  return Object.is(datum, -0) && !collapses ? '-0' : String(datum);
}

const shownMax = 3_000;

function abbreviated(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
