/** Looks at a stretch of rows for violations of a constraint that is being validated, and records them. */

import { encodeUtf8, invariant } from '#base';
import type { Catalog } from '#catalog';
import {
  columnOrdinal,
  type ForeignKey,
  type PendingConstraint,
  rowViolationKey,
  type Table,
  tableById,
  tableLayout,
} from '#catalog';
import type { Transaction } from '#storage';
import type { Row, Scalar } from '#value';
import { type Chunk, readChunk } from './chunk.ts';
import { readValue } from './reading.ts';

export interface Validation {
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
  const refTable = tableById(catalog, key.refTable);
  invariant(refTable !== undefined, 'a referenced table stays while a foreign key is validated');
  const layout = tableLayout(refTable);
  // In the order of the referenced key, which is that of `refColumns`.
  const ordinals = key.columns.map((id) => columnOrdinal(table, id));
  const cause = encodeUtf8(`the referenced row of table "${refTable.name}" does not exist`);
  const chunk = await readChunk(transaction, table, ordinals, from);
  for (let i = 0; i < chunk.rows.length; i++) {
    const values = referenced(chunk.rows[i] as Row, ordinals);
    if (values === undefined) continue;
    const parent = await readValue(transaction, layout.keyOfValues(values));
    if (parent !== undefined) continue;
    transaction.put(rowViolationKey(physicalId, chunk.keys[i] as Uint8Array), cause);
  }
  return chunk;
}

/** Undefined when a NULL makes the row reference nothing. */
function referenced(row: Row, ordinals: readonly number[]): Scalar[] | undefined {
  const values = ordinals.map((ordinal) => row[ordinal] as Scalar);
  return values.includes(null) ? undefined : values;
}
