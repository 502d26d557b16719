/**
 * `npm run bench -- costs`: what the pieces cost that plans consist of, in nanoseconds and in rows of a table that is read in key order, beside what
 * the planner takes them for (`src/planner/cost/defaults.ts`). Rows lie in blocks, as columns, and everything is in memory. A constant may be off by
 * four times: plans are chosen by orders of magnitude.
 */

import { systemWorld } from '#base';
import { type Engine, openEngine } from '#engine';
import type { PlanOptions } from '#planner';
import type { Statistics } from '#statistics';
import { checkProgram } from '#wire';
import { costs } from '../src/planner/cost/defaults.ts';
import type { Measurement } from './measure.ts';
import { unlearning } from './plan-quality.ts';
import { aggregate, binary, filter, join, lit, order, programOf, scan } from './workloads/lir.ts';

const rounds = 9;
const kinds = 50;
const freshRows = 10_000;

/** Every part of a key has one row: what can be read by key is. */
const byKey: Statistics = {
  rowsOf: () => 1_000_000,
  rowsWithin: () => 1,
  surveyed: () => undefined,
  surveyOf: () => 0,
};
const full: PlanOptions = { accessPaths: 'all', crossings: 'spooled' };
const merging: PlanOptions = { ...full, accessPaths: 'scan_only' };
const hashed: PlanOptions = { ...merging, without: ['merge_join'] };

interface Engines {
  readonly byKey: Engine;
  readonly fetching: Engine;
  readonly hashed: Engine;
  readonly merging: Engine;
  readonly crossing: Engine;
  /** Nothing of it is in blocks. */
  readonly fresh: Engine;
  readonly rows: number;
}

export async function benchCosts(isQuick: boolean): Promise<readonly Measurement[]> {
  const rows = isQuick ? 50_000 : 200_000;
  const engines: Engines = {
    byKey: await filled(rows, full, byKey),
    fetching: await filled(rows, { ...full, without: ['index_only'] }, byKey),
    hashed: await filled(rows, hashed),
    merging: await filled(rows, merging),
    crossing: await filled(rows, { ...merging, without: ['semi_join'] }),
    fresh: await filled(freshRows, hashed, undefined, 64 << 20),
    rows,
  };
  const found = await measured(engines);
  for (const engine of Object.values(engines)) if (typeof engine !== 'number') await engine.close();
  const unit = found.tableRow;
  return Object.entries(found).map(([name, ns]) => {
    const taken = costs[name as keyof typeof found];
    const ratio = ns / unit / taken;
    return {
      name,
      ratio: Math.min(ratio, 1 / ratio),
      goal: 0.25,
      subject: `${ns.toFixed(0)} ns, ${(ns / unit).toFixed(2)} rows`,
      reference: `${taken} rows in the planner`,
    };
  });
}

type Found = Readonly<Record<keyof typeof costs, number>>;

/** Nanoseconds each. */
async function measured(engines: Engines): Promise<Found> {
  const { byKey, fetching, hashed, crossing, rows } = engines;
  const int = (value: number) => lit('int64', value);
  const events = { s: scan('event', 'e') };
  const max = (input: string, of: string) =>
    aggregate(input, 'n', {}, { n: ['max', of] as [string, string] });
  const one = (nodes: Record<string, object>) => programOf(nodes, 'exactly_one');
  const count = await nanos(hashed, one({ ...events, n: max('s', 'e.size') }));
  const kept = (predicate: object) =>
    one({ ...events, f: filter('s', predicate), n: max('f', 'e.size') });
  const all = await nanos(hashed, kept(binary('gt', 'e.size', int(-1))));
  const common = binary('eq', 'e.kind', int(0));
  const half = rows / 2;
  // Rows that lie anywhere: neighbours in this index are none in the table.
  const tenth = binary('lt', 'e.place', int(rows / 100));
  const fetched = await nanos(fetching, kept(tenth));
  const inOrder = await nanos(fetching, kept(common));
  console.log(
    `rows by an index whose order is that of the table: ${(inOrder / half).toFixed()} ns`,
  );
  const covered = await nanos(
    byKey,
    one({ ...events, f: filter('s', common), n: aggregate('f', 'n', {}, { n: ['max', 'e.at'] }) }),
  );
  const asked = 2_000;
  const ids = Array.from({ length: asked }, (_, i) => (i * 7_919) % rows);
  const looked = (column: string, values: readonly number[], of = 'e.size') => ({
    r: {
      kind: 'rows',
      scope: 'r',
      columns: [{ name: 'v', type: 'int64' }],
      rows: values.map((value) => [String(value)]),
    },
    ...events,
    j: join('r', 's', binary('eq', 'r.v', column)),
    n: max('j', of),
  });
  const points = await nanos(byKey, one(looked('e.id', ids)));
  const nothing = ids.map((id) => -1 - id);
  const seeks = await nanos(byKey, one(looked('e.place', nothing)));
  const misses = await nanos(byKey, one(looked('e.id', nothing)));
  const hashedFew = await nanos(hashed, one(looked('e.id', ids)));
  const twice = {
    ...events,
    t: scan('event', 'f'),
    j: join('s', 't', binary('eq', 'e.id', 'f.id')),
    n: max('j', 'f.size'),
  };
  const hashedAll = await nanos(hashed, one(twice));
  const keys = await nanos(hashed, one({ ...events, n: max('s', 'e.id') }));
  const mergedAll = await nanos(engines.merging, one(twice));
  const thousand = (scope: string) =>
    filter(scope === 'e' ? 's' : 't', binary('lt', `${scope}.id`, int(1_000)));
  const pairs = {
    ...events,
    a: thousand('e'),
    t: scan('event', 'f'),
    b: thousand('f'),
    j: join('a', 'b', binary('lt', 'e.size', 'f.size')),
    n: aggregate('j', 'n', {}, { n: ['count'] }),
  };
  const paired = await nanos(hashed, one(pairs));
  const sorted = await nanos(
    hashed,
    programOf(
      { ...events, o: order('s', 'e.size'), l: { kind: 'slice', input: 'o', offset: rows - 1 } },
      'first',
    ),
  );
  const tested = {
    ...events,
    p: scan('place', 'p'),
    q: filter('p', binary('eq', 'p.id', 'e.place')),
    f: filter('s', { kind: 'exists', node: 'q' }),
    n: max('f', 'e.size'),
  };
  const runs = await nanos(crossing, one(tested));
  const tableRow = count / rows;
  const fresh = await nanos(engines.fresh, one({ ...events, n: max('s', 'e.size') }));
  const probe = (hashedFew - count) / rows;
  const run = Math.max(1, misses / asked);
  return {
    tableRow,
    freshRow: fresh / freshRows,
    row: (all - count) / rows,
    indexRow: fetched / (rows / 10),
    indexEntry: covered / half,
    seek: Math.max(1, seeks / asked - run),
    point: Math.max(1, (points - misses) / asked),
    hashProbeRow: Math.max(1, probe),
    hashBuildRow: Math.max(1, (hashedAll - 2 * count) / rows - probe),
    mergeRow: Math.max(1, (mergedAll - count - keys) / (2 * rows)),
    pair: (paired - 2 * count) / 1_000_000,
    run: Math.min(run, (runs - count) / rows),
    sortRow: (sorted - count) / rows / Math.log2(rows),
  };
}

/** The least of some rounds: what others do on the machine only adds. */
async function nanos(engine: Engine, program: string): Promise<number> {
  const checked = checkProgram(JSON.parse(program));
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await engine.execute({ program: () => checked });
    least = Math.min(least, performance.now() - start);
  }
  return least * 1e6;
}

async function filled(
  rows: number,
  planning: PlanOptions,
  statistics?: Statistics,
  memtableBytes = 4 << 20,
): Promise<Engine> {
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    tuning: { cacheBytes: 256 << 20, memtableBytes },
    programMemoryBytes: 512 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'bench',
    planning,
    ...(statistics && { statistics }),
    experience: unlearning,
  });
  const names = ['id', 'kind', 'place', 'at', 'size'];
  const indexes = [['kind', 'at'], ['place']];
  const event = (id: number) => {
    const kind = id % 2 === 0 ? 0 : 1 + (id % (kinds - 1));
    return [id, kind, (id * 31) % (rows / 10), id * 10, (id * 7_919) % 1_000];
  };
  await create(engine, 'event', { names, indexes, rows, row: event });
  await create(engine, 'place', { names: ['id'], indexes: [], rows: rows / 10, row: (id) => [id] });
  // Merges settle.
  await Bun.sleep(1_500);
  return engine;
}

interface Filling {
  readonly names: readonly string[];
  readonly indexes: readonly (readonly string[])[];
  readonly rows: number;
  readonly row: (id: number) => readonly number[];
}

async function create(engine: Engine, name: string, filling: Filling): Promise<void> {
  const columns = filling.names.map((column) => ({ name: column, type: 'int64' as const }));
  const run = (statement: object) =>
    engine.execute({ program: () => checkProgram({ statements: [statement] }) });
  const indexes = filling.indexes.map((of) => ({ name: of.join('_'), columns: of }));
  const table = { name, columns, primary_key: ['id'], indexes };
  await run({ kind: 'create_table', name: 't', table });
  for (let from = 0; from < filling.rows; from += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, filling.rows - from) }, (_, i) =>
      filling.row(from + i).map(String),
    );
    const node = { kind: 'rows', scope: 'r', columns, rows };
    const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
    await run({ kind: 'create', name: 'c', table: name, relation });
  }
}
