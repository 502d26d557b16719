/** Column replacements: conversion of what is stored, two cells for what is written, and what keeps one from being published. */

import { describe, expect, test } from 'bun:test';
import type { ReplacementDefinition } from '#catalog';
import { outcomeOf } from '../support/outcome.ts';
import { audit } from './audit.ts';
import {
  buildIndex,
  type Cell,
  createTable,
  expectFine,
  mutation,
  openWorkshop,
  type Typed,
} from './support.ts';

const columns = ['id int64', 'v text?'] as const;
const create = (...rows: readonly (readonly Cell[])[]) => mutation('create', 't', columns, ...rows);
const update = (...rows: readonly (readonly Cell[])[]) => mutation('update', 't', columns, ...rows);
const replace = (replacement: ReplacementDefinition, column = 2) => ({
  kind: 'start_column_replacement',
  table_id: 1,
  column_id: column,
  replacement,
});

async function opened(...rows: readonly (readonly Cell[])[]) {
  const workshop = await openWorkshop();
  await workshop.run(createTable('t', [...columns, 'other int64?']));
  if (rows.length > 0) await workshop.run(create(...rows));
  return workshop;
}

const toInt64 = replace({ type: 'int64', nullable: true });

test('stored values are converted while rows change; old cells are cleared away', async () => {
  await using db = await opened(...Array.from({ length: 1500 }, (_, i) => [String(i), `+${i}`]));
  const version = db.engine.catalog.version;
  const id = await db.start(toInt64);
  const model = new Map(Array.from({ length: 1500 }, (_, i) => [i, i]));
  for (let round = 0; (await db.get(id)).state === 'building'; round++) {
    await db.run(update([String(round * 150), `${round}0`]));
    await db.run(create([String(2000 + round), String(-round)]));
    await db.run(mutation('delete', 't', ['id int64'], [String(1499 - round)]));
    model.set(round * 150, round * 10).set(2000 + round, -round);
    model.delete(1499 - round);
    await db.worker.round();
  }
  await db.until(id, 'ready');
  expect(db.engine.catalog.version).toBe(version + 1);
  const rows = (await db.rows('t')).map(({ id, v }) => [id, v]);
  expect(rows).toEqual(
    [...model].sort(([left], [right]) => left - right).map(([k, v]) => [k, v + 0]),
  );
  await db.settle();
  expectFine(await audit(db.engine));
  await db.run(mutation('update', 't', ['id int64', 'v int64?'], ['3', '42']));
  expect((await db.rows('t'))[3]).toMatchObject({ id: 3, v: 42 });
});

describe('what is written while the column is replaced', () => {
  test('must have an image', async () => {
    await using db = await opened(['1', '1']);
    const id = await db.start(toInt64);
    expect(await db.refused(create(['2', 'two']))).toMatch(
      /^422 constraint_violation: .*column "v".*text value has no exact int64 image/,
    );
    expect(await db.refused(update(['1', 'one']))).toMatch(/^422 constraint_violation/);
    await db.run(create(['2', null]), update(['1', '11']));
    await db.until(id, 'ready');
    expect(await db.rows('t')).toEqual([
      { id: 1, v: 11, other: null },
      { id: 2, v: null, other: null },
    ]);
  });

  test('another column of a row without an image can be written, and its violation stays', async () => {
    await using db = await opened(['1', 'one']);
    const id = await db.start(toInt64);
    const touch = mutation('update', 't', ['id int64', 'other int64'], ['1', '5']);
    await db.run(touch);
    expect(await outcomeOf(db.until(id, 'ready'))).toThrow(
      /is failed: cannot publish replacement for column "v" of table "t": 1 row: the text value/,
    );
    await db.settle();
    expectFine(await audit(db.engine));
    expect(await db.rows('t')).toEqual([{ id: 1, v: 'one', other: 5 }]);
  });
});

test('a violation that a later write sets right is forgotten', async () => {
  for (const repair of [update(['1', '1']), mutation('delete', 't', ['id int64'], ['1'])]) {
    const rows = Array.from({ length: 600 }, (_, i) => [String(i), i === 1 ? 'one' : String(i)]);
    await using db = await opened(...rows);
    const id = await db.start(toInt64);
    await db.scan(id);
    await db.run(repair);
    await db.until(id, 'ready');
  }
});

test('a cancelled replacement leaves everything as it was', async () => {
  await using db = await opened(...Array.from({ length: 900 }, (_, i) => [String(i), String(i)]));
  const before = await db.rows('t');
  const id = await db.start(toInt64);
  await db.until(id, 'building');
  await db.worker.round();
  await db.worker.round();
  const reply = await db.send('POST', `/schema/transitions/${id}/cancel`);
  expect(reply.json).toMatchObject({ state: 'cancelled' });
  await db.run(create(['1000', 'anything']));
  await db.settle();
  expect(await db.rows('t')).toEqual([...before, { id: 1000, v: 'anything', other: null }]);
  expectFine(await audit(db.engine));
});

test('stored values without an image make it fail, told by table, column and count', async () => {
  const rows = [
    ['1', '1'],
    ['4711', 'secret'],
    ['4712', 'hidden'],
    ['4713', null],
  ] as const;
  await using db = await opened(...rows);
  const id = await db.start(replace({ type: 'int64', nullable: false }));
  expect(await outcomeOf(db.until(id, 'ready'))).toThrow('failed');
  const { last_error } = await db.get(id);
  expect(last_error).toBe(
    'cannot publish replacement for column "v" of table "t": 2 rows: the text value has no exact int64 image; 1 row: NULL in a column that becomes non-null',
  );
});

test('counting of values without an image ends at 1,000, and says so', async () => {
  const rows = Array.from({ length: 1100 }, (_, i) => [String(i), 'x'] as const);
  await using db = await opened(...rows);
  const id = await db.start(toInt64);
  expect(await outcomeOf(db.until(id, 'ready'))).toThrow('at least 1000 rows: the text value');
});

test('the default and the nullability change with the column', async () => {
  await using db = await opened(['1', '1']);
  const id = await db.start(
    replace({ type: 'int64', nullable: false, default: { kind: 'literal', value: 7 } }),
  );
  expect(await db.refused(create(['2', null]))).toMatch(/^422 constraint_violation.*NULL/);
  const refused = { kind: 'change_column_default', table_id: 1, column_id: 2 };
  const literal = { kind: 'literal', value: 'x' };
  expect(await db.refused({ ...refused, default: literal })).toMatch(/^422 invalid.*active/);
  await db.until(id, 'ready');
  await db.run(mutation('create', 't', ['id int64'], ['2']));
  expect(await db.rows('t')).toEqual([
    { id: 1, v: 1, other: null },
    { id: 2, v: 7, other: null },
  ]);
});

test('a stored NULL keeps a column from becoming non-null', async () => {
  await using db = await opened(['1', null]);
  const id = await db.start(replace({ type: 'int64', nullable: false }));
  expect(await outcomeOf(db.until(id, 'ready'))).toThrow(/NULL in a column that becomes non-null/);
});

describe('a replacement that leaves every value as it is', () => {
  test('is ready in the same commit, one version higher', async () => {
    await using db = await openWorkshop();
    await db.run(createTable('t', ['id int64', 'v text']));
    await db.run(mutation('create', 't', ['id int64', 'v text'], ['1', 'x']));
    const version = db.engine.catalog.version;
    const { statements } = await db.run(
      replace({ type: 'text', nullable: true, format: 'email' }),
      mutation('create', 't', columns, ['2', null]),
    );
    const control = statements[0]?.control;
    expect(control).toMatchObject({ state: 'ready', generation: 1, object_id: 'column:2' });
    expect(await db.get(control?.transition_id as string)).toEqual(control as never);
    expect(db.engine.catalog.version).toBe(version + 1);
    expect(await db.rows('t')).toEqual([
      { id: 1, v: 'x' },
      { id: 2, v: null },
    ]);
    expect((await db.send('GET', '/tables')).json).toMatchObject({
      tables: [{ columns: [{}, { format: 'email', nullable: true }] }],
    });
  });

  test('an identifier format is more than a label', async () => {
    await using db = await openWorkshop();
    await db.run(createTable('t', ['id int64', 'v bytes']));
    await db.run(mutation('create', 't', ['id int64', 'v bytes'], ['1', 'AQI=']));
    const id = await db.start(replace({ type: 'bytes', nullable: false, format: 'uuid' }));
    expect(await outcomeOf(db.until(id, 'ready'))).toThrow(/is failed/);
  });
});

describe('is refused', () => {
  const cases: readonly [string, ReplacementDefinition, number, RegExp][] = [
    ['of a primary key', { type: 'text', nullable: false }, 1, /used by the primary key/],
    ['by the same', { type: 'text', nullable: true }, 2, /already/],
    ['of no column', { type: 'text', nullable: true }, 9, /unknown column/],
    [
      'with another increment',
      { type: 'int64', nullable: false, default: { kind: 'generator', func: 'increment' } },
      3,
      /increment/,
    ],
  ];
  test.each(cases)('%s', async (_, definition, column, message) => {
    await using db = await opened();
    const refusal = await db.refused(replace(definition, column));
    expect(refusal).toMatch(/^422 invalid/);
    expect(refusal).toMatch(message);
  });

  test('of a column of an index or a foreign key', async () => {
    await using db = await openWorkshop();
    const wide = ['id int64', 'v int64?', 'w int64?'] as readonly Typed[];
    await db.run(createTable('p', ['id int64']));
    const key = { name: 'fk', columns: ['w'], ref_table: 'p', ref_columns: ['id'] };
    await db.run(createTable('t', wide, { foreign_keys: [key] }));
    const index = { name: 'i', columns: ['v'] };
    await db.run({ kind: 'create_index', table_id: 2, index });
    const text = { type: 'text', nullable: true } as const;
    const of = (column: number) => ({ ...replace(text, column), table_id: 2 });
    expect(await db.refused(of(2))).toMatch(/used by the index "i"/);
    expect(await db.refused(of(3))).toMatch(/used by the foreign key "fk"/);
  });

  test('an index or a key over a column that is being replaced', async () => {
    await using db = await opened(['1', '1']);
    await db.start(toInt64);
    const index = { name: 'i', columns: ['v'] };
    expect(await db.refused({ kind: 'create_index', table_id: 1, index })).toMatch(/active/);
    expect(await db.refused(buildIndex('i', ['v']))).toMatch(/^422 invalid.*prerequisite/);
  });
});
