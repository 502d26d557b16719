/**
 * Tables of several sizes and what they are asked, over HTTP against the built executable, with SQLite, DuckDB (one thread, where it is
 * installed) and plain loops in this process. `--rows` is the number of orders, or replies; without it 10 k and 100 k, with `--quick` 10 k. Of several sizes
 * the growth is printed: 1 takes ten times as long for ten times as many rows.
 */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from './measure.ts';
import { startBuilt } from './server-process.ts';
import { agree } from './workloads/answers.ts';
import { duckdb, type Engine, sqlite, svc } from './workloads/engines.ts';
import { pages } from './workloads/pages.ts';
import type { Question, Workload } from './workloads/question.ts';
import { shop } from './workloads/shop.ts';

/** A question is asked until so much time has gone or it has been asked so often. */
const timeMs = 700;
const turnsMax = 200;
const turnsMin = 3;

export function benchWorkloads(isQuick: boolean, rows: number | undefined) {
  return measureSizes(shop, 'orders', isQuick, rows);
}

/** What the pages of a shop and of a forum ask for. */
export function benchPages(isQuick: boolean, rows: number | undefined) {
  return measureSizes(pages, 'lines and replies', isQuick, rows);
}

async function measureSizes(
  workloadOf: (size: number) => Workload,
  unit: string,
  isQuick: boolean,
  rows: number | undefined,
): Promise<readonly Measurement[]> {
  const sizes = rows === undefined ? (isQuick ? [10_000] : [10_000, 100_000]) : [rows];
  const results: Measurement[] = [];
  const curves = new Map<string, number[]>();
  for (const size of sizes) {
    const noteTime = (name: string, ms: number) => {
      curves.set(name, [...(curves.get(name) ?? []), ms]);
    };
    results.push(...(await measure(workloadOf(size), `${size} ${unit}`, noteTime)));
  }
  if (sizes.length > 1) printGrowth(sizes, curves);
  return results;
}

function printGrowth(sizes: readonly number[], curves: ReadonlyMap<string, readonly number[]>) {
  const rows = Math.log((sizes.at(-1) as number) / (sizes[0] as number));
  for (const [name, times] of curves) {
    const growth = Math.log((times.at(-1) as number) / (times[0] as number)) / rows;
    console.log(`     growth ${growth.toFixed(2)} | ${name}`);
  }
}

interface Loaded {
  readonly engine: Engine;
  readonly rowsPerSecond: number;
  readonly indexSeconds: number;
}

async function measure(
  { tables, questions }: Workload,
  label: string,
  noteTime: (question: string, ms: number) => void,
): Promise<readonly Measurement[]> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-workloads-'));
  await using server = await startBuilt();
  const engines = [svc(server.port), sqlite(join(directory, 'shop')), await duckdb()];
  const loaded: Loaded[] = [];
  for (const engine of engines) if (engine !== undefined) loaded.push(await load(engine, tables));
  const results = [...loadRatios(label, loaded)];
  let pointMs = 0;
  for (const question of questions) {
    const times = await askAll(question, loaded);
    const own = times.svc as number;
    if (pointMs === 0) pointMs = own;
    noteTime(question.name, own);
    results.push(verdictOf(label, question, { ...times, point: pointMs }));
    console.log(lineOf(label, question, times));
  }
  for (const { engine } of loaded) await engine[Symbol.asyncDispose]();
  if (existsSync(directory)) rmSync(directory, { recursive: true, force: true });
  return results;
}

async function load(engine: Engine, tables: Workload['tables']): Promise<Loaded> {
  let rows = 0;
  let loadMs = 0;
  let indexMs = 0;
  for (const table of tables) {
    const start = performance.now();
    await engine.load(table);
    const middle = performance.now();
    for (const columns of table.indexes) await engine.addIndex(table, columns);
    rows += table.count;
    loadMs += middle - start;
    indexMs += performance.now() - middle;
  }
  return { engine, rowsPerSecond: (rows * 1_000) / loadMs, indexSeconds: indexMs / 1_000 };
}

function loadRatios(label: string, loaded: readonly Loaded[]): readonly Measurement[] {
  const [own, reference] = loaded as [Loaded, Loaded];
  const rates = loaded.map(
    ({ engine: { name }, rowsPerSecond, indexSeconds }) =>
      `${name} ${Math.round(rowsPerSecond / 1_000)} k rows/s, indexes ${indexSeconds.toFixed(2)} s`,
  );
  console.log(`     ${label}, loaded: ${rates.join('; ')}`);
  return [
    {
      name: `${label}: load`,
      ratio: own.rowsPerSecond / reference.rowsPerSecond,
      goal: 0.3,
      subject: `${Math.round(own.rowsPerSecond)} rows/s`,
      reference: `${Math.round(reference.rowsPerSecond)} rows/s in sqlite`,
    },
    {
      name: `${label}: indexes`,
      ratio: reference.indexSeconds / own.indexSeconds,
      goal: 0.4,
      subject: `${own.indexSeconds.toFixed(2)} s`,
      reference: `${reference.indexSeconds.toFixed(2)} s in sqlite`,
    },
  ];
}

type Times = Partial<Record<Engine['name'] | 'loop' | 'point', number>>;

/** Median milliseconds by engine; all of them must agree on the first answer. */
async function askAll(question: Question, loaded: readonly Loaded[]): Promise<Times> {
  const times: Times = {};
  let expected: unknown;
  for (const { engine } of loaded) {
    const answer = await engine.ask(question, 0);
    expected ??= answer;
    if (!agree(expected, answer)) {
      throw new Error(`${question.name}: ${engine.name} and svc do not agree`);
    }
    times[engine.name] = await medianOf((turn) => engine.ask(question, turn));
  }
  const { loop } = question;
  if (loop !== undefined) times.loop = await medianOf(loop);
  return times;
}

async function medianOf(ask: (turn: number) => unknown): Promise<number> {
  const times: number[] = [];
  await ask(1);
  const end = performance.now() + timeMs;
  for (let turn = 2; turn < turnsMax; turn++) {
    const start = performance.now();
    if (start > end && times.length >= turnsMin) break;
    await ask(turn);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return times[times.length >>> 1] as number;
}

function verdictOf(label: string, { name, goal }: Question, times: Times): Measurement {
  const own = times.svc as number;
  const of = 'of' in goal ? (times[goal.of] ?? times.sqlite) : goal.ms;
  const allowed = 'of' in goal ? (of as number) * goal.times : goal.ms;
  return {
    name: `${label}: ${name}`,
    ratio: allowed / own,
    goal: 1,
    subject: `${own.toFixed(2)} ms`,
    reference: `${allowed.toFixed(2)} ms allowed${'of' in goal ? ` (${goal.times} × ${goal.of})` : ''}`,
  };
}

function lineOf(label: string, { name }: Question, times: Times): string {
  const cells = Object.entries(times).map(([engine, ms]) => `${engine} ${ms.toFixed(2)}`);
  return `     ${label} | ${name} | ${cells.join(' | ')}`;
}
