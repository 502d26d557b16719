/**
 * A shop of many orders and what it is asked, over HTTP against the built executable, with SQLite, DuckDB (one thread, where it is
 * installed) and plain loops in this process. `--rows` is the number of orders; without it 10 k and 100 k, with `--quick` 10 k.
 */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from './measure.ts';
import { startBuilt } from './server-process.ts';
import { agree } from './workloads/answers.ts';
import { makeShop, type Shop } from './workloads/data.ts';
import { duckdb, type Engine, sqlite, svc } from './workloads/engines.ts';
import { type Question, questionsFor } from './workloads/questions.ts';
import { tablesOf } from './workloads/tables.ts';

/** A question is asked until so much time has gone or it has been asked so often. */
const timeMs = 700;
const turnsMax = 200;
const turnsMin = 3;

export async function benchWorkloads(
  isQuick: boolean,
  rows: number | undefined,
): Promise<readonly Measurement[]> {
  const sizes = rows === undefined ? (isQuick ? [10_000] : [10_000, 100_000]) : [rows];
  const results: Measurement[] = [];
  for (const size of sizes) results.push(...(await measureAt(size)));
  return results;
}

interface Loaded {
  readonly engine: Engine;
  readonly rowsPerSecond: number;
  readonly indexSeconds: number;
}

async function measureAt(size: number): Promise<readonly Measurement[]> {
  const shop = makeShop(size);
  const directory = mkdtempSync(join(tmpdir(), 'svc-workloads-'));
  await using server = await startBuilt();
  const engines = [svc(server.port), sqlite(join(directory, 'shop')), await duckdb()];
  const loaded: Loaded[] = [];
  for (const engine of engines) if (engine !== undefined) loaded.push(await load(engine, shop));
  const results = [...loadRatios(size, loaded)];
  let pointMs = 0;
  for (const question of questionsFor(shop)) {
    const times = await askAll(question, loaded, shop);
    if (pointMs === 0) pointMs = times.svc as number;
    results.push(verdictOf(size, question, { ...times, point: pointMs }));
    console.log(lineOf(size, question, times));
  }
  for (const { engine } of loaded) await engine[Symbol.asyncDispose]();
  if (existsSync(directory)) rmSync(directory, { recursive: true, force: true });
  return results;
}

async function load(engine: Engine, shop: Shop): Promise<Loaded> {
  const tables = tablesOf(shop);
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

function loadRatios(size: number, loaded: readonly Loaded[]): readonly Measurement[] {
  const [own, reference] = loaded as [Loaded, Loaded];
  const rates = loaded.map(
    ({ engine: { name }, rowsPerSecond, indexSeconds }) =>
      `${name} ${Math.round(rowsPerSecond / 1_000)} k rows/s, indexes ${indexSeconds.toFixed(2)} s`,
  );
  console.log(`     ${size} orders, loaded: ${rates.join('; ')}`);
  return [
    {
      name: `${size} orders: load`,
      ratio: own.rowsPerSecond / reference.rowsPerSecond,
      goal: 0.3,
      subject: `${Math.round(own.rowsPerSecond)} rows/s`,
      reference: `${Math.round(reference.rowsPerSecond)} rows/s in sqlite`,
    },
    {
      name: `${size} orders: three indexes`,
      ratio: reference.indexSeconds / own.indexSeconds,
      goal: 0.4,
      subject: `${own.indexSeconds.toFixed(2)} s`,
      reference: `${reference.indexSeconds.toFixed(2)} s in sqlite`,
    },
  ];
}

type Times = Partial<Record<Engine['name'] | 'loop' | 'point', number>>;

/** Median milliseconds by engine; all of them must agree on the first answer. */
async function askAll(question: Question, loaded: readonly Loaded[], shop: Shop): Promise<Times> {
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
  if (loop !== undefined) times.loop = await medianOf(() => loop(shop));
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

function verdictOf(size: number, { name, goal }: Question, times: Times): Measurement {
  const own = times.svc as number;
  const of = 'of' in goal ? (times[goal.of] ?? times.sqlite) : goal.ms;
  const allowed = 'of' in goal ? (of as number) * goal.times : goal.ms;
  return {
    name: `${size} orders: ${name}`,
    ratio: allowed / own,
    goal: 1,
    subject: `${own.toFixed(2)} ms`,
    reference: `${allowed.toFixed(2)} ms allowed${'of' in goal ? ` (${goal.times} × ${goal.of})` : ''}`,
  };
}

function lineOf(size: number, { name }: Question, times: Times): string {
  const cells = Object.entries(times).map(([engine, ms]) => `${engine} ${ms.toFixed(2)}`);
  return `     ${size} | ${name} | ${cells.join(' | ')}`;
}
