/** Checks a chunk of rows for violations of a constraint that is being validated, and records them. */

import { encodeUtf8, invariant } from '#base';
import type { Catalog } from '#catalog';
import {
  columnOrdinal,
  columnsOf,
  type ForeignKey,
  type PendingConstraint,
  type Table,
  tableById,
} from '#catalog';
import { columnsText } from '#failure';
import { rowViolationKey, tableLayout } from '#layout';
import { readValue, type Transaction } from '#storage';
import type { Row, Scalar } from '#value';
import { type Chunk, readChunk } from './chunk.ts';

interface Validation {
  readonly catalog: Catalog;
  readonly table: Table;
  readonly physicalId: number;
  readonly constraint: PendingConstraint;
}

export function constraintChunk(
  transaction: Transaction,
  validation: Validation,
  from: Parameters<typeof readChunk>[3],
): Promise<Chunk> {
  const { constraint } = validation;
  return constraint.kind === 'not_null'
    ? notNullChunk(transaction, validation, constraint.column, from)
    : foreignKeyChunk(transaction, validation, constraint.foreignKey, from);
}

async function notNullChunk(
  transaction: Transaction,
  { table, physicalId }: Validation,
  column: number,
  from: Parameters<typeof readChunk>[3],
): Promise<Chunk> {
  const ordinal = columnOrdinal(table, column);
  const chunk = await readChunk(transaction, table, [ordinal], from);
  const cause = encodeUtf8(`column "${table.columns[ordinal]?.name}" is NULL`);
  chunk.rows.forEach((row, i) => {
    if (row[ordinal] !== null) return;
    transaction.put(rowViolationKey(physicalId, chunk.keys[i] as Uint8Array), cause);
  });
  return chunk;
}

async function foreignKeyChunk(
  transaction: Transaction,
  { catalog, table, physicalId }: Validation,
  key: ForeignKey,
  from: Parameters<typeof readChunk>[3],
): Promise<Chunk> {
  const parentKey = parentKeyOf(catalog, table, key);
  const ordinals = key.columns.map((id) => columnOrdinal(table, id));
  const chunk = await readChunk(transaction, table, ordinals, from);
  const name = tableById(catalog, key.refTable)?.name;
  const columns = columnsText(columnsOf(table, key.columns));
  const cause = encodeUtf8(`the referenced row of table "${name}" does not exist (${columns})`);
  for (let i = 0; i < chunk.rows.length; i++) {
    if (!(await isDangling(transaction, parentKey(chunk.rows[i] as Row)))) continue;
    transaction.put(rowViolationKey(physicalId, chunk.keys[i] as Uint8Array), cause);
  }
  return chunk;
}

/**
 * Returns whether a row that was found without its parent row still has none. The parent might have been created since, without a change of the
 * row.
 */
export async function isStillDangling(
  transaction: Transaction,
  { catalog, table }: Validation,
  key: ForeignKey,
  rowKey: Uint8Array,
): Promise<boolean> {
  const body = await readValue(transaction, rowKey);
  if (body === undefined) return false;
  const reader = tableLayout(table).reader();
  reader.open(rowKey, 0, rowKey.length, body, 0, body.length);
  const row = table.columns.map((_, ordinal) => reader.cell(ordinal));
  return isDangling(transaction, parentKeyOf(catalog, table, key)(row));
}

async function isDangling(
  transaction: Transaction,
  parentKey: Uint8Array | undefined,
): Promise<boolean> {
  if (parentKey === undefined) return false;
  return (await readValue(transaction, parentKey)) === undefined;
}

/** Returns the key of the row that a row references; undefined if it references none. */
function parentKeyOf(
  catalog: Catalog,
  table: Table,
  { columns, refTable: id }: ForeignKey,
): (row: Row) => Uint8Array | undefined {
  const refTable = tableById(catalog, id);
  invariant(refTable !== undefined, 'a referenced table stays while a foreign key is validated');
  const layout = tableLayout(refTable);
  // A foreign key lists its columns in the order of the key that it references.
  const ordinals = columns.map((column) => columnOrdinal(table, column));
  return (row) => {
    const values = referenced(row, ordinals);
    return values && layout.keyOfValues(values);
  };
}

/** Returns the values by which the row references another row; `undefined` if one is NULL, because the row then references nothing. */
function referenced(row: Row, ordinals: readonly number[]): Scalar[] | undefined {
  const values = ordinals.map((ordinal) => row[ordinal] as Scalar);
  return values.includes(null) ? undefined : values;
}
