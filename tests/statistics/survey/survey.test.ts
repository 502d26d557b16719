/** Surveys of tables in a store in memory: what they read, what they find, and that they stay within their bounds. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Scheduler, systemWorld, type World } from '#base';
import { type Engine, openEngine } from '#engine';
import { tableLayout } from '#layout';
import { type Surveys, surveyTable, type TableSynopsis } from '#statistics';
import { eachEntry, keyUnder, type Snapshot, type Store } from '#storage';
import { checkProgram } from '#wire';
import { synopsisReport } from '../../../src/statistics/report/synopsis-report.ts';
import { groupsOf } from '../../../src/statistics/survey/group-survey.ts';
import { keyEndsOf } from '../../../src/statistics/survey/key-ends.ts';
import { keyAtRank } from '../../../src/statistics/survey/positions.ts';

const engines: Engine[] = [];
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'few', type: 'int64', nullable: true },
  { name: 'run', type: 'int64' },
  { name: 'name', type: 'text' },
  { name: 'price', type: 'float64' },
] as const;

/** `few` has 3 values, and NULL in every second row; `run` ten neighbours each; `name` 5 values, `price` one a row. */
const rowAt = (i: number) => [
  `${i}`,
  i % 2 === 0 ? null : `${i % 3}`,
  `${Math.floor(i / 10)}`,
  `name ${i % 5}`,
  `${i}.5`,
];

/** Rows in blocks, as columns, unless they are to stay in memory. */
async function filled(rows: number, inMemory = false, world = systemWorld()): Promise<Engine> {
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world,
    tuning: { cacheBytes: 1 << 20, ...(!inMemory && { memtableBytes: 1 << 20 }) },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'test',
  });
  engines.push(engine);
  const indexes = [{ name: 'few_run', columns: ['few', 'run'] }];
  const run = (statement: object) =>
    engine.execute({ program: () => checkProgram({ statements: [statement] }) });
  const table = { name: 't', columns, primary_key: ['id'], indexes };
  await run({ kind: 'create_table', name: 'a', table });
  for (let from = 0; from < rows; from += 10_000) {
    const cells = Array.from({ length: Math.min(10_000, rows - from) }, (_, i) => rowAt(from + i));
    const node = { kind: 'rows', scope: 'r', columns, rows: cells };
    const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
    await run({ kind: 'create', name: 'b', table: 't', relation });
  }
  return engine;
}

function partsOf(engine: Engine) {
  const { store, statistics } = (
    engine as unknown as { database: { store: Store; statistics: Surveys } }
  ).database;
  const [table] = engine.catalog.tables;
  if (table === undefined) throw new Error('no table');
  return { store, statistics, table };
}

/** A world whose time stands still, so that a slow machine does not end a survey. */
function unhurried(): World {
  const world = systemWorld();
  return { ...world, clock: { ...world.clock, monotonicMs: () => 0 } };
}

async function surveyed(engine: Engine, world: World = unhurried()): Promise<TableSynopsis> {
  const { store, table } = partsOf(engine);
  const view = store.snapshot();
  const ground = { view, entries: store, world, catalogVersion: 1, isStopped: () => false };
  const synopsis = await surveyTable(table, ground);
  view.release();
  if (synopsis === undefined) throw new Error('nothing was found');
  return synopsis;
}

const columnOf = (synopsis: TableSynopsis, name: string) => {
  const found = synopsis.columns[columns.findIndex((column) => column.name === name)];
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

describe('a small table is seen as a whole', () => {
  test.each([true, false])('in memory: %p', async (inMemory) => {
    const synopsis = await surveyed(await filled(3_000, inMemory));
    expect(synopsis).toMatchObject({
      observedRows: 3_000,
      tableRows: 3_000,
      coverage: 'complete',
    });
    const few = columnOf(synopsis, 'few');
    expect(few).toMatchObject({ nulls: 1_500, distinct: 3, distinctIsExact: true });
    expect(few.mostCommon.map(({ value, frequency }) => [value, frequency]).sort()).toEqual([
      [0, 500],
      [1, 500],
      [2, 500],
    ]);
    const id = columnOf(synopsis, 'id');
    expect([id.minimum, id.maximum, id.distinct]).toEqual([0, 2_999, 3_000]);
    expect(id.bounds[32]).toBeWithin(1_300, 1_700);
    const name = columnOf(synopsis, 'name');
    expect([name.minimum, name.maximum, name.averageWidth]).toEqual(['name 0', 'name 4', 6]);
    const [group] = synopsis.groups;
    expect(group).toMatchObject({ nulls: 1_500, distinct: 900 });
    expect(group?.mostCommon[0]?.value.length).toBe(2);
  });
});

test('a report of a whole table has no more different values than rows with values', async () => {
  const synopsis = await surveyed(await filled(3_000));
  const [column, few] = synopsis.columns.map((counts) => {
    return { ...counts, distinct: 3_100, distinctIsExact: false };
  });
  const [group] = synopsis.groups.map((counts) => ({ ...counts, distinct: 3_100 }));
  if (column === undefined || few === undefined || group === undefined) throw new Error('none');
  const report = synopsisReport({ ...synopsis, columns: [column, few], groups: [group] }, 0);
  expect(report.coverage).toBe('complete');
  expect(report.columns.map(({ distinct }) => distinct)).toEqual([3_000, 1_500]);
  expect(report.columnGroups.map(({ distinct }) => distinct)).toEqual([1_500]);
});

describe('of a large table pieces are read', () => {
  const rows = 100_000;
  let engine: Engine;
  beforeAll(async () => {
    engine = await filled(rows);
  }, 30_000);

  test('from all over it, and the whole is inferred', async () => {
    const synopsis = await surveyed(engine);
    expect(synopsis.coverage).toBe('sample');
    expect(synopsis.observedRows).toBeWithin(40_000, 50_001);
    const id = columnOf(synopsis, 'id');
    expect(id.minimum as number).toBeLessThan(5_000);
    expect(id.maximum as number).toBeGreaterThan(rows - 5_000);
    expect(id.bounds[32]).toBeWithin(42_000, 58_000);
    expect(id.distinctInTable / rows).toBeWithin(0.85, 1.15);
    expect(columnOf(synopsis, 'run').distinctInTable / 10_000).toBeWithin(0.8, 1.25);
    expect(columnOf(synopsis, 'few').distinctInTable).toBeCloseTo(3, 0);
    expect(columnOf(synopsis, 'name').distinctInTable).toBeCloseTo(5, 0);
    expect(columnOf(synopsis, 'price').distinctInTable / rows).toBeWithin(0.85, 1.15);
  }, 30_000);

  test('with the least and the greatest value of the table where a key begins with the column', async () => {
    const synopsis = await surveyed(engine);
    expect(columnOf(synopsis, 'id')).toMatchObject({ minimum: 0, maximum: rows - 1 });
    // Half of the entries of the index begin with NULL.
    expect(columnOf(synopsis, 'few')).toMatchObject({ minimum: 0, maximum: 2 });
  });

  test('which a report does not call complete, nor its estimates exact', async () => {
    const synopsis = await surveyed(engine);
    const report = synopsisReport(synopsis, 0);
    expect([synopsis.coverage, report.coverage]).toEqual(['sample', 'prefixLimit']);
    const all = [...report.columns, ...report.columnGroups];
    expect(all.map(({ distinctIsExact }) => distinctIsExact)).toEqual(all.map(() => false));
    const [id, few] = report.columns;
    expect(id?.distinct).toBeWithin(synopsis.observedRows + 1, synopsis.tableRows + 1);
    expect(few?.distinct).toBe(3);
  }, 30_000);

  test('until time is up', async () => {
    const world = systemWorld();
    let looks = 0;
    const clock = { ...world.clock, monotonicMs: () => 1_000 * looks++ };
    const synopsis = await surveyed(engine, { ...world, clock });
    expect(synopsis.coverage).toBe('prefixLimit');
    expect(synopsis.observedRows).toBeWithin(1, 20_000);
    expect(columnOf(synopsis, 'price').maximum as number).toBeLessThan(rows - 1_000);
  }, 30_000);

  test('giving way after a few hundred rows', async () => {
    const world = systemWorld();
    let yields = 0;
    const scheduler = {
      ...world.scheduler,
      yield: () => {
        yields++;
        return Promise.resolve();
      },
    };
    const synopsis = await surveyed(engine, { ...world, scheduler });
    expect(yields).toBeGreaterThan(synopsis.observedRows / 1_024);
  }, 30_000);
});

test('the event loop runs while the ends of a key are searched among deleted rows', async () => {
  const world = systemWorld();
  let turns = 0;
  const scheduler: Scheduler = {
    ...world.scheduler,
    yield: () => {
      turns++;
      return world.scheduler.yield();
    },
  };
  const { store, table } = partsOf(await filled(40_000, true, { ...world, scheduler }));
  const { range } = tableLayout(table);
  const transaction = store.begin();
  let left = 30_000;
  await eachEntry(transaction, range, (cursor) => {
    transaction.delete(keyUnder(cursor));
    return --left > 0;
  });
  await transaction.commit();
  const view = store.snapshot();
  turns = 0;
  const ends = await keyEndsOf(table, view);
  view.release();
  expect(ends.find(({ column }) => column.name === 'id')?.minimum).toBe(30_000);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(30_000 / 4_096));
}, 30_000);

test('a key is found by its rank', async () => {
  const { store, table } = partsOf(await filled(20_000, true));
  const { range } = tableLayout(table);
  for (const rank of [0, 1_234, 10_000, 19_999]) {
    const key = keyAtRank(store, range, rank);
    const below = store.entriesIn({ from: range.from, to: key });
    expect(Math.abs(below - rank)).toBeLessThan(300);
  }
});

test('a survey that is stopped finds nothing', async () => {
  const { store, table } = partsOf(await filled(3_000));
  const view: Snapshot = store.snapshot();
  const ground = { view, entries: store, world: systemWorld(), catalogVersion: 1 };
  expect(await surveyTable(table, { ...ground, isStopped: () => true })).toBe(undefined);
  view.release();
});

test('groups are the starts of keys, two to four columns, at most 32', () => {
  const index = (...key: number[]) => ({ columns: key, name: key.join(), unique: false });
  const table = {
    primaryKey: [3, 1, 2, 4, 5],
    foreignKeys: [{ columns: [7] }, { columns: [9, 8] }],
    indexes: [index(6), index(2, 1), index(1, 3)],
  } as unknown as Parameters<typeof groupsOf>[0];
  expect(groupsOf(table)).toEqual([
    [1, 3],
    [1, 2, 3],
    [1, 2, 3, 4],
    [8, 9],
    [1, 2],
  ]);
  const many = Array.from({ length: 40 }, (_, i) => index(i, i + 1));
  expect(groupsOf({ ...table, indexes: many } as never).length).toBe(32);
});
