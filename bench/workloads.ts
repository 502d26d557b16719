/**
 * `npm run bench -- workloads [OPTIONS]` and `npm run bench -- pages [OPTIONS]`: one workload at two sizes, svc over HTTP against databases that hold the
 * same rows. Prints a table per size; exit code 1 if a goal is missed or an engine gives another answer.
 */

import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeScratch, scratchDirectory } from '../tests/hostile/target/at-exit.ts';
import { builtExecutable } from './server-process.ts';
import { type Goals, pageGoals, shopGoals } from './workloads/goals.ts';
import { comparisonOf } from './workloads/measure/against.ts';
import { differs, paceOf } from './workloads/measure/in-turn.ts';
import { loadIds } from './workloads/measure/loads.ts';
import type { Report, Row, SizeReport } from './workloads/measure/outcome.ts';
import { measureSize } from './workloads/measure/size.ts';
import { lineOf, tablesOf, verdictsOf } from './workloads/measure/text.ts';
import { pages } from './workloads/pages.ts';
import type { EngineName, Workload } from './workloads/question.ts';
import { shop } from './workloads/shop.ts';

export const workloads: Readonly<Record<string, readonly [(rows: number) => Workload, Goals]>> = {
  workloads: [shop, shopGoals],
  pages: [pages, pageGoals],
};

const engineNames: readonly EngineName[] = ['svc', 'sqlite', 'duckdb', 'postgres'];

const usage = `options of workloads and pages:
  --rows N           number of orders, or of lines and replies (default 1000000, or 100000 for pages)
  --small M          the smaller size, for the growth (default a tenth of N; 0 = none)
  --only ID,...      only these questions; an unknown ID prints the list
  --engines NAME,... some of ${engineNames.join(', ')} (default all; svc is always measured, and alone with --engines svc)
  --dir DIRECTORY    directory for all data (default a new one in the temporary directory)
  --executable PATH  executable to measure (default dist/svc)
  --json FILE        stores the report, after each line
  --against FILE     compares with such a report
The server has its default settings, except those of the environment: SVC_STATEMENT_TIMEOUT_MS=0 removes its time limit.`;

interface Options {
  readonly rows: number;
  readonly small: number;
  readonly only: readonly string[];
  readonly engines: readonly EngineName[];
  readonly dir: string | undefined;
  readonly executable: string;
  readonly json: string | undefined;
  readonly against: string | undefined;
}

/** Returns the exit code. */
export async function runWorkload(name: string, args: readonly string[]): Promise<number> {
  const [workloadOf, goals] = workloads[name] as (typeof workloads)[string];
  let options: Options;
  try {
    options = optionsOf(args, name, workloadOf);
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : error}\n${usage}`);
    return 2;
  }
  const { against } = options;
  // `--json` may name the same file.
  const before = against === undefined ? undefined : ((await Bun.file(against).json()) as Report);
  const report = await measured(name, workloadOf, options);
  console.log(`\n${tablesOf(report, goals)}`);
  if (before !== undefined) console.log(comparisonOf(report, before));
  return report.sizes.some(({ table }) => table.some((row) => isMissed(row, report, goals)))
    ? 1
    : 0;
}

async function measured(
  name: string,
  workloadOf: (rows: number) => Workload,
  options: Options,
): Promise<Report> {
  const sizes: SizeReport[] = [];
  const report = { date: new Date().toISOString(), workload: name, sizes };
  const store = () => {
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(report));
  };
  const parent = options.dir ?? tmpdir();
  mkdirSync(parent, { recursive: true });
  const directory = scratchDirectory(join(parent, 'svc-workloads-'));
  // PostgreSQL runs as another user.
  chmodSync(directory, 0o711);
  for (const rows of [options.small, options.rows].filter((size) => size > 0)) {
    const table: Row[] = [];
    sizes.push({ rows, storeMib: 0, table });
    const note = (row: Row) => {
      table.push(row);
      store();
    };
    sizes[sizes.length - 1] = await sizeReport(rows, workloadOf, options, directory, note);
    store();
  }
  removeScratch(directory);
  return report;
}

async function sizeReport(
  rows: number,
  workloadOf: (rows: number) => Workload,
  { only, engines, executable }: Options,
  parent: string,
  note: (row: Row) => void,
): Promise<SizeReport> {
  const directory = join(parent, `${rows}`);
  mkdirSync(directory);
  const label = rows.toLocaleString('en');
  const report = await measureSize({
    rows,
    workload: workloadOf(rows),
    command: [executable],
    directory,
    engines,
    pace: paceOf(rows),
    isChosen: (id) => only.length === 0 || only.includes(id),
    print: (line) => console.error(`     ${label} | ${line}`),
    note: (row) => {
      console.error(`     ${label} | ${lineOf(row)}`);
      note(row);
    },
  });
  rmSync(directory, { recursive: true, force: true });
  return report;
}

function isMissed(row: Row, report: Report, goals: Goals): boolean {
  const hasOtherAnswer = Object.values(row.outcomes).some(
    (outcome) => 'problem' in outcome && outcome.problem === differs,
  );
  return hasOtherAnswer || verdictsOf(goals, row, report).some(({ isMet }) => isMet === false);
}

function optionsOf(
  args: readonly string[],
  name: string,
  workloadOf: (rows: number) => Workload,
): Options {
  const text = { type: 'string' } as const;
  const known = { rows: text, small: text, only: text, engines: text, dir: text };
  const more = { executable: text, json: text, against: text };
  const { values } = parseArgs({ args: [...args], options: { ...known, ...more } });
  const rows = Number(values.rows ?? (name === 'pages' ? 100_000 : 1_000_000));
  const small = Number(values.small ?? Math.floor(rows / 10));
  if (!Number.isSafeInteger(rows) || rows < 1_000) throw new Error('--rows: expected 1000 or more');
  if (!Number.isSafeInteger(small) || small >= rows || (small > 0 && small < 1_000)) {
    throw new Error('--small: expected 0, or 1000 to less than --rows');
  }
  const only = listOf(values.only);
  const ids = idsOf(workloadOf(1_000));
  const unknown = only.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw new Error(`--only: no ${unknown}; known: ${ids.join(', ')}`);
  const engines = values.engines === undefined ? engineNames : listOf(values.engines);
  const other = engines.find((engine) => !engineNames.includes(engine as EngineName));
  if (other !== undefined) throw new Error(`--engines: unknown engine ${other}`);
  const executable = values.executable ?? builtExecutable;
  if (!existsSync(executable)) throw new Error(`${executable} does not exist; run npm run build`);
  const { dir, json, against } = values;
  return { rows, small, only, engines: engines as EngineName[], dir, executable, json, against };
}

const listOf = (value: string | undefined): readonly string[] =>
  value?.split(',').filter((part) => part !== '') ?? [];

function idsOf({ questions, measured }: Workload): readonly string[] {
  return [...(measured === undefined ? [] : loadIds), ...questions.map(({ id }) => id), 'restart'];
}
