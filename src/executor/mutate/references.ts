/** Foreign keys of written rows: what they reference must exist at the end of the statement. */

import { invariant } from '#base';
import { columnOrdinal, type ForeignKey, type Table, tableById, tableLayout } from '#catalog';
import { fail } from '#failure';
import type { Row, Scalar } from '#value';
import type { Steps } from '../steps.ts';
import { distinctKeys } from './key-order.ts';
import type { Writing } from './writing.ts';

export function* checkReferences(
  writing: Writing,
  table: Table,
  foreignKey: ForeignKey,
  rows: readonly Row[],
): Steps<void> {
  const refTable = tableById(writing.catalog, foreignKey.refTable);
  invariant(refTable !== undefined, 'a foreign key references a table of its catalog');
  const keys = distinctKeys(referencedKeys(table, foreignKey, refTable, rows));
  yield* writing.readAll(
    keys,
    keys.map((_, i) => i),
    (_, value) => {
      if (value === undefined) throw dangling(table, foreignKey, refTable);
    },
  );
}

/** The keys that the rows reference; a row with NULL in the foreign key references nothing. */
function referencedKeys(
  table: Table,
  foreignKey: ForeignKey,
  refTable: Table,
  rows: readonly Row[],
): Uint8Array[] {
  const layout = tableLayout(refTable);
  const ordinals = keyOrdinals(table, foreignKey, refTable);
  const keys: Uint8Array[] = [];
  const values: Scalar[] = new Array(ordinals.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Row;
    let isExempt = false;
    for (let m = 0; m < ordinals.length; m++) {
      const value = row[ordinals[m] as number] as Scalar;
      if (value === null) isExempt = true;
      values[m] = value;
    }
    if (!isExempt) keys.push(layout.keyOfValues(values));
  }
  return keys;
}

/** Ordinals of the referencing columns in the order of the referenced primary key. */
export function keyOrdinals(
  table: Table,
  foreignKey: ForeignKey,
  refTable: Table,
): readonly number[] {
  return refTable.primaryKey.map((id) => {
    const member = foreignKey.refColumns.indexOf(id);
    return columnOrdinal(table, foreignKey.columns[member] as number);
  });
}

export function dangling(table: Table, foreignKey: ForeignKey, refTable: Table): Error {
  return fail(
    'constraint_violation',
    `foreign key "${foreignKey.name}" of table "${table.name}": ` +
      `the referenced row of table "${refTable.name}" does not exist`,
    { execution: { table: table.name } },
  );
}
