/** Counts of rows at rest: most blocks are not read, and what other sources hide or add is counted as it is shown. */

import { afterEach, expect, spyOn, test } from 'bun:test';
import type { Engine } from '#engine';
import { EntryCount } from '../../src/executor/operators/scan/entry-count.ts';
import { TableSections } from '../../src/storage/table/table-sections.ts';
import { manualWorld } from '../support/manual-world.ts';
import { createFilled, flushed, memoryEngine, resultOf } from './support/memory-engine.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'kind', type: 'int64' },
];
const rowCount = 6_000;
const rows = Array.from({ length: rowCount }, (_, id) => [`${id}`, `${id % 3}`]);
const indexes = [{ name: 'by_kind', columns: ['kind'], unique: false }];

async function filled(): Promise<Engine> {
  const tuning = { memtableBytes: 1, blockBytes: 1_024 };
  const engine = await memoryEngine({ world: manualWorld(), tuning });
  engines.push(engine);
  await createFilled(engine, { name: 't', columns, indexes }, rows);
  await flushed();
  return engine;
}

const col = (column: string) => ({ kind: 'col', scope: 't', column });
const literal = (value: number) => ({
  kind: 'lit',
  value: { type: 'int64', value: String(value) },
});
const where = (op: string, column: string, value: number) => ({
  kind: 'binary',
  op,
  left: col(column),
  right: literal(value),
});

const scan = { kind: 'scan', table: 't', scope: 't' };

function counting(predicate?: object): object {
  const nodes = {
    t: scan,
    ...(predicate && { f: { kind: 'filter', input: 't', predicate } }),
    n: {
      kind: 'aggregate',
      input: predicate === undefined ? 't' : 'f',
      scope: 'n',
      aggs: [
        { as: 'n', fn: 'count' },
        { as: 'again', fn: 'count' },
      ],
    },
  };
  const relation = { nodes, root: { node: 'n', cardinality: 'exactly_one' } };
  return { kind: 'query', name: 'q', relation };
}

async function countOf(engine: Engine, predicate?: object, before: readonly object[] = []) {
  return (await resultOf(engine, [...before, counting(predicate)], 'q'))?.rows;
}

const both = (n: number) => [[n, n]];

/** Runs `work`, and returns the number of blocks that it reads or finds in the cache. */
async function blocksOf(work: () => Promise<unknown>): Promise<number> {
  const spies = [
    spyOn(TableSections.prototype, 'block'),
    spyOn(TableSections.prototype, 'passingBlock'),
  ];
  try {
    await work();
    return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const remove = (predicate: object) => ({
  kind: 'delete',
  name: 'd',
  table: 't',
  relation: {
    nodes: {
      t: scan,
      f: { kind: 'filter', input: 't', predicate },
      k: { kind: 'project', input: 'f', fields: [{ as: 'id', expr: col('id') }] },
    },
    root: { node: 'k', cardinality: 'many' },
  },
});

test('of all rows and of key ranges, from the index', async () => {
  const engine = await filled();
  await countOf(engine);
  const blocks = await blocksOf(async () => expect(await countOf(engine)).toEqual(both(rowCount)));
  expect(blocks).toBeLessThan(4);
  const [left, right] = [where('gte', 'id', 700), where('lt', 'id', 5_001)];
  const range = { kind: 'binary', op: 'and', left, right };
  const ranged = await blocksOf(async () => {
    expect(await countOf(engine, range)).toEqual(both(4_301));
  });
  expect(ranged).toBeLessThan(6);
});

test('of the entries of an index', async () => {
  const engine = await filled();
  const counted = spyOn(EntryCount.prototype, 'count');
  expect(await countOf(engine, where('eq', 'kind', 1))).toEqual(both(2_000));
  expect(counted).toHaveBeenCalled();
  counted.mockRestore();
});

test('of rows that were deleted, in the same program and in one before', async () => {
  const engine = await filled();
  const gone = where('lt', 'id', 100);
  expect(await countOf(engine, undefined, [remove(gone)])).toEqual(both(rowCount - 100));
  expect(await countOf(engine)).toEqual(both(rowCount - 100));
  await flushed();
  expect(await countOf(engine)).toEqual(both(rowCount - 100));
  expect(await countOf(engine, where('lt', 'id', 150))).toEqual(both(50));
});
