/** As many as allowed, and not one more. */

import { expect, test } from 'bun:test';
import type { ColumnDefinition, TableDefinition } from '#catalog';
import { columnsMax } from '../../../src/catalog/change/column-record.ts';
import { after, catalogOf, create, expectInvalid, tableOf } from '../support.ts';

/** A table with so many columns. */
function wide(count: number): TableDefinition {
  const columns = Array.from(
    { length: count },
    (_, i): ColumnDefinition => ({ name: `c${i}`, type: 'int64', nullable: i > 0 }),
  );
  return { name: 'wide', columns, primary_key: ['c0'] };
}

const another = {
  kind: 'create_column',
  table_id: 1,
  column: { name: 'another', type: 'int64', nullable: true },
} as const;

test('a table is created with as many columns as it may have, and not with one more', () => {
  expect(tableOf(catalogOf(wide(columnsMax)), 'wide').columns.length).toBe(columnsMax);
  expectInvalid(catalogOf(), create(wide(columnsMax + 1)), `more than ${columnsMax} columns`);
});

test('a table grows to as many columns as it may have, and not further', () => {
  const full = after(catalogOf(wide(columnsMax - 1)), another);
  const further = { ...another, column: { ...another.column, name: 'further' } };
  expectInvalid(full, further, `has ${columnsMax} columns already`);
});
