/** create: derive all rows, check them, write them, then check what they need and what must be unique. */

import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { checkRowKey, tableLayout } from '#layout';
import type { Datum, Row } from '#value';
import { type Pieces, valueAt } from '../batch/pieces.ts';
import type { RowStore } from '../batch/row-store.ts';
import type { Steps } from '../steps.ts';
import { defaultValues } from './defaults.ts';
import { allocate, isIncrement, raiseMark } from './increment.ts';
import { indexRows } from './indexes.ts';
import { firstRepeated, keyOrder } from './key-order.ts';
import { existing } from './primary-keys.ts';
import { checkReferences } from './references.ts';
import { shadowed } from './shadows.ts';
import { storedValues } from './values.ts';
import type { Writing } from './writing.ts';

/** `slots` says, for each column in catalog order, which column of `input` supplies it, or -1. Returns the rows in catalog order. */
export function* createRows(
  writing: Writing,
  table: Table,
  slots: readonly number[],
  input: RowStore,
): Steps<readonly Row[]> {
  const vectors = yield* deriveColumns(writing, table, slots, input);
  const rows = yield* rowsOf(writing, vectors, input.length);
  const keys = yield* checkPrimaryKeys(writing, table, rows);
  const layout = tableLayout(table);
  for (let i = 0; i < rows.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const stored = shadowed(table, rows[i] as Row, undefined);
    writing.put(keys[i] as Uint8Array, layout.bodyOfRow(stored));
  }
  writing.account();
  yield* indexRows(writing, table, { keys, rows });
  for (const key of writeProtocol(table).foreignKeys) {
    yield* checkReferences(writing, table, key, rows);
  }
  return rows;
}

/** The order of one key. */
const onlyOne = Uint32Array.of(0);

function* rowsOf(
  writing: Writing,
  vectors: readonly Pieces[],
  count: number,
): Steps<readonly Row[]> {
  writing.holdArrays(count, vectors.length);
  const rows: Row[] = [];
  for (let i = 0; i < count; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const row: Datum[] = new Array(vectors.length);
    for (let c = 0; c < vectors.length; c++) row[c] = valueAt(vectors[c] as Pieces, i);
    rows.push(row);
  }
  return rows;
}

/** One vector a column: what the input supplies, or the default. */
function* deriveColumns(
  writing: Writing,
  table: Table,
  slots: readonly number[],
  input: RowStore,
): Steps<Pieces[]> {
  const vectors: Pieces[] = [];
  for (let c = 0; c < table.columns.length; c++) {
    const slot = slots[c] as number;
    const column = table.columns[c] as Column;
    const supplied = slot < 0 ? undefined : (input.columns[slot] as Pieces);
    vectors.push(supplied ?? (yield* defaultValues(writing, column.default, input.length)));
  }
  const isAllocated = (ordinal: number) =>
    (slots[ordinal] as number) < 0 && isIncrement(table.columns[ordinal] as Column);
  for (let c = 0; c < vectors.length; c++) {
    if (isAllocated(c)) continue;
    const column = table.columns[c] as Column;
    const stored = storedValues(writing, table, column, vectors[c] as Pieces);
    vectors[c] = Array.isArray(stored) ? stored : yield* stored;
  }
  for (let c = 0; c < vectors.length; c++) {
    const column = table.columns[c] as Column;
    if (isAllocated(c)) yield* allocate(writing, table, c, vectors);
    else if (isIncrement(column)) yield* raiseMark(writing, table, column, vectors[c] as Pieces);
  }
  return vectors;
}

/** The keys of the rows, none of which may exist or appear twice. */
function* checkPrimaryKeys(
  writing: Writing,
  table: Table,
  rows: readonly Row[],
): Steps<readonly Uint8Array[]> {
  const layout = tableLayout(table);
  const keys: Uint8Array[] = [];
  for (let i = 0; i < rows.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const key = layout.keyOfRow(rows[i] as Row);
    checkRowKey(layout, key);
    writing.holdKey(key);
    keys.push(key);
  }
  const order = keys.length === 1 ? onlyOne : yield* keyOrder(writing, keys);
  const execution = { table: table.name };
  if (keys.length > 1 && (yield* firstRepeated(writing, keys, order)) >= 0) {
    const detail = `two rows for table "${table.name}" have the same primary key`;
    throw fail('constraint_violation', detail, { execution });
  }
  yield* writing.readAll(keys, order, (_, value) => {
    if (value !== undefined) throw existing(table);
  });
  return keys;
}
