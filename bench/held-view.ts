/**
 * `bun run bench/held-view.ts [--rows N] [--changed SHARE]`: what a view that stays open costs other reads. Two databases in this process get the same rows and the
 * same updates, spread over the table. In one of them, a transaction from before the updates stays open, as a long query or an export does. The questions run in
 * rounds that alternate. Prints the median of the milliseconds of both, and the median ratio of a round: the rate beside the view divided by the rate without it.
 */

import { parseArgs } from 'node:util';
import { systemWorld } from '#base';
import { type Engine, openEngine } from '#engine';
import { checkProgram } from '#wire';
import { aggregate, binary, filter, lit, programOf, project, scan } from './workloads/lir.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '500000' },
    changed: { type: 'string', default: '0.01' },
  },
});
const rows = Number(values.rows);
const rowsPerProgram = 5_000;
const rounds = 40;
/** Longer than a store waits until it merges everything. */
const restMs = 6_000;

const columns = ['id', 'part', 'total'].map((name) => ({ name, type: 'int64' }));
/** Every hundredth row has the same part. */
const parts = 100;
const orders = scan('orders', 'o');
const count = aggregate('s', 'n', {}, { n: ['count'] });
const sum = aggregate('f', 'n', {}, { n: ['count'], sum: ['sum', 'o.total'] });
const above = filter('s', binary('gt', 'o.total', lit('int64', 500)));
const one = filter('s', binary('eq', 'o.id', lit('int64', Math.floor(rows / 2))));
const questions = {
  count: programOf({ s: orders, n: count }, 'exactly_one'),
  'sum where total > 500': programOf({ s: orders, f: above, n: sum }, 'exactly_one'),
  'row by key': programOf({ s: orders, f: one }, 'first'),
};

const [free, beside] = [await filled(), await filled()];
const view = beside.begin();
await view.run({ program: () => checkProgram(JSON.parse(questions.count)) });
for (const engine of [free, beside]) {
  await update(engine);
  // Enough for a merge of everything when the store is idle.
  await fill(engine, rows, rows + rows / 4);
}
await Bun.sleep(restMs);
for (const [name, text] of Object.entries(questions)) {
  const found: { readonly alone: number; readonly seen: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await timed(free, text);
    found.push({ alone, seen: await timed(beside, text) });
  }
  const alone = median(found.map((times) => times.alone)).toFixed(3);
  const seen = median(found.map((times) => times.seen)).toFixed(3);
  const ratio = median(found.map((times) => times.alone / times.seen)).toFixed(2);
  console.log(`${name.padEnd(24)} ${alone} ms, beside the view ${seen} ms, ratio ${ratio}`);
}
view.rollback();
await Promise.all([free.close(), beside.close()]);

async function filled(): Promise<Engine> {
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    openTransactions: { idleMs: 1e9, wholeMs: 1e9 },
    tuning: { memtableBytes: 4 << 20, idleMs: 500, idleFlushBytesMin: 1 },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'bench',
  });
  const table = { name: 'orders', columns, primary_key: ['id'] };
  await run(engine, { kind: 'create_table', name: 't', table });
  await fill(engine, 0, rows);
  await Bun.sleep(restMs);
  return engine;
}

async function fill(engine: Engine, start: number, end: number): Promise<void> {
  for (let from = start; from < end; from += rowsPerProgram) {
    const made = Array.from({ length: Math.min(rowsPerProgram, end - from) }, (_, i) =>
      [from + i, (from + i) % parts, ((from + i) * 7919) % 1_000].map(String),
    );
    await change(engine, 'create', { r: { kind: 'rows', scope: 'r', columns, rows: made } });
  }
}

/** Changes the given share of the rows, part by part. */
async function update(engine: Engine): Promise<void> {
  for (let part = 0; part < Math.round(Number(values.changed) * parts); part++) {
    const some = filter('s', binary('eq', 'o.part', lit('int64', part)));
    const next = { id: 'o.id', part: 'o.part', total: lit('int64', 501) };
    await change(engine, 'update', { s: orders, f: some, p: project('f', next) });
  }
}

function change(engine: Engine, kind: string, nodes: Record<string, object>): Promise<void> {
  const root = { node: Object.keys(nodes).at(-1), cardinality: 'many' };
  return run(engine, { kind, name: 'c', table: 'orders', relation: { nodes, root } });
}

async function run(engine: Engine, statement: object): Promise<void> {
  await engine.execute({ program: () => checkProgram({ statements: [statement] }) });
}

async function timed(engine: Engine, text: string): Promise<number> {
  const requestContext = engine.requestContext({});
  const program = () => checkProgram(JSON.parse(text));
  const started = performance.now();
  await engine.execute({ program }, requestContext);
  const took = performance.now() - started;
  requestContext.close();
  return took;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}
