/** Work on data that catalog changes ask for. */

import { expect, test } from 'bun:test';
import { applyChange, type CatalogChange } from '#catalog';
import type { StatementPlan } from '#planner';
import type { Row } from '#value';
import { Bench } from './mutate/support.ts';
import { catalogOf, runNow } from './support/run.ts';

const catalog = catalogOf(
  { name: 'p', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
  {
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'v', type: 'int64', nullable: true },
    ],
    primary_key: ['id'],
  },
);
const [parent, table] = catalog.tables.map(({ id }) => id) as [number, number];

/** The database after a catalog change. */
function changed(bench: Bench, change: CatalogChange): Bench {
  const { catalog: after, effects } = applyChange(bench.catalog, change);
  const statement: StatementPlan = {
    kind: 'catalog',
    name: 'change',
    effects,
    catalog: bench.catalog,
    isReferenced: false,
  };
  const next = new Bench(after);
  next.transaction = bench.transaction.slow(0);
  runNow([statement], { catalog: bench.catalog, transaction: next.transaction });
  return next;
}

function filled(rows: readonly Row[]): Bench {
  const bench = new Bench(catalog);
  bench.create(['p', 'id'], [1], [2]);
  bench.create(['t', 'id', 'v'], ...rows);
  return bench;
}

const createIndex = (unique: boolean): CatalogChange => ({
  kind: 'create_index',
  table_id: table,
  index: { name: 'v', columns: ['v'], unique },
});

test('an index is filled from the rows that are there', () => {
  const rows: Row[] = Array.from({ length: 3000 }, (_, i) => [i, i % 3 === 0 ? null : i % 100]);
  const bench = changed(filled(rows), createIndex(false));
  expect(bench.rowsByIndex('t', 'v')).toEqual(rows);
});

test('a unique index refuses duplicates, NULL aside', () => {
  const bench = changed(
    filled([
      [1, null],
      [2, null],
      [3, 1],
    ]),
    createIndex(true),
  );
  expect(bench.rowsByIndex('t', 'v').length).toBe(3);
  // The two equal values stand in different pieces of the table.
  const rows: Row[] = Array.from({ length: 1500 }, (_, i) => [i, i === 1400 ? 0 : i]);
  const twice = filled(rows);
  expect(twice.failure(() => changed(twice, createIndex(true)))).toMatch(
    /^constraint_violation.*unique index "v"/,
  );
});

test('a foreign key is validated', () => {
  const change: CatalogChange = {
    kind: 'create_foreign_key',
    table_id: table,
    foreign_key: { name: 'fk', columns: ['v'], ref_table: 'p', ref_columns: ['id'] },
  };
  changed(
    filled([
      [1, 1],
      [2, null],
      [3, 2],
    ]),
    change,
  );
  const bench = filled([
    [1, 1],
    [2, 7],
  ]);
  expect(bench.failure(() => changed(bench, change))).toMatch(
    /^constraint_violation.*foreign key "fk"/,
  );
});

test('a dropped table leaves no rows behind', () => {
  const bench = filled(Array.from({ length: 2500 }, (_, i) => [i, i]));
  const after = changed(bench, { kind: 'delete_table', table_id: table });
  expect(after.transaction.entries.size).toBe(2);
  expect(changed(after, { kind: 'delete_table', table_id: parent }).transaction.entries.size).toBe(
    0,
  );
});
