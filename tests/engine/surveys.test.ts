/** Surveys: what a plan asks of a key is looked up in the background, and the plan made anew. */

import { afterEach, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { type Engine, openEngine } from '#engine';
import { Surveys } from '#statistics';
import { checkProgram } from '#wire';
import { Surveyor } from '../../src/engine/surveyor.ts';
import { rowsOfValues } from '../../src/statistics/fan-out.ts';

const rows = 3_000;
const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'few', type: 'int64', nullable: true },
  { name: 'some', type: 'int64' },
] as const;

/** `few` has 3 values and NULL in every second row, `some` 300; `few_some` both, in that order. */
async function filled(): Promise<Engine> {
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    tuning: { cacheBytes: 1 << 20 },
    programMemoryBytes: 64 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'test',
  });
  engines.push(engine);
  const indexes = [
    { name: 'some', columns: ['some'] },
    { name: 'few_some', columns: ['few', 'some'] },
  ];
  const table = { name: 't', columns, primary_key: ['id'], indexes };
  const cells = Array.from({ length: rows }, (_, i) => [
    `${i}`,
    i % 2 === 0 ? null : `${i % 3}`,
    `${i % 300}`,
  ]);
  const node = { kind: 'rows', scope: 'r', columns, rows: cells };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  const statements = [
    { kind: 'create_table', name: 'a', table },
    { kind: 'create', name: 'b', table: 't', relation },
  ];
  await engine.execute(checkProgram({ statements, result: 'b' }), {
    showPlan: false,
    dryRun: false,
  });
  return engine;
}

function partsOf(engine: Engine) {
  const { store } = (engine as unknown as { database: { store: never } }).database;
  const table = engine.catalog.tables[0];
  if (table === undefined) throw new Error('no table');
  const index = (name: string) => table.indexes.find((it) => it.name === name);
  return {
    store: store as Parameters<typeof rowsOfValues>[1] & { snapshot(): never },
    table,
    index,
  };
}

test('rows of a value, for each column of a key; NULL in the first one is none', async () => {
  const { store, table, index } = partsOf(await filled());
  const view = store.snapshot() as Parameters<typeof rowsOfValues>[0] & { release(): void };
  expect(await rowsOfValues(view, store, table, undefined)).toEqual([1]);
  const [some] = await rowsOfValues(view, store, table, index('some'));
  expect(some).toBeCloseTo(10, 0);
  const [few, fewSome] = await rowsOfValues(view, store, table, index('few_some'));
  expect(few).toBeCloseTo(500, 0);
  expect(fewSome).toBeCloseTo(10, 0);
  view.release();
});

test('a wish is carried out once, and again when the table has another size', async () => {
  const size = { now: 5_000 };
  const engine = await filled();
  const { store, table, index } = partsOf(engine);
  const of = store as unknown as ConstructorParameters<typeof Surveyor>[0];
  const surveys = new Surveys({ entriesIn: () => size.now });
  const tasks: (() => void)[] = [];
  const done = Promise.withResolvers<void>();
  const scheduler = {
    ...systemWorld().scheduler,
    after: (_: number, task: () => void) => {
      tasks.push(task);
      return { cancel: () => {} };
    },
    yield: async () => done.resolve(),
  };
  const surveyor = new Surveyor(of, surveys, scheduler);
  expect(surveys.rowsOfValue(table, index('some'), 1)).toBe(undefined);
  expect(surveys.rowsOfValue(table, index('some'), 1)).toBe(undefined);
  expect(surveys.surveyOf(table)).toBe(0);
  expect(tasks.length).toBe(1);
  tasks.shift()?.();
  await done.promise;
  await surveyor.stop();
  expect(surveys.rowsOfValue(table, index('some'), 1)).toBeCloseTo(10, 0);
  expect(surveys.surveyOf(table)).toBe(1);
  expect(surveys.next()).toBe(undefined);
  size.now = 10_001;
  expect(surveys.rowsOfValue(table, index('some'), 1)).toBeCloseTo(10, 0);
  expect(surveys.next()?.table).toBe(table);
  // Stopped: nobody comes any more.
  expect(tasks.length).toBe(0);
});

test('small tables are not surveyed', async () => {
  const { table, index } = partsOf(await filled());
  const surveys = new Surveys({ entriesIn: () => 999 });
  expect(surveys.rowsOfValue(table, index('some'), 1)).toBe(undefined);
  expect(surveys.next()).toBe(undefined);
});

test('of many tables the last ones keep their numbers, and no number comes twice', async () => {
  const { table: known } = partsOf(await filled());
  const surveys = new Surveys({ entriesIn: () => 5_000 });
  const table = (physicalId: number) => ({ ...known, physicalId });
  for (let id = 1; id <= 10_001; id++) surveys.found({ table: table(id), index: undefined }, [1]);
  expect(surveys.surveyOf(table(1))).toBe(0);
  expect(surveys.surveyOf(table(2))).toBe(2);
  expect(surveys.surveyOf(table(10_001))).toBe(10_001);
  surveys.found({ table: table(1), index: undefined }, [1]);
  expect(surveys.surveyOf(table(1))).toBe(10_002);
  expect(surveys.surveyOf(table(2))).toBe(0);
});
