/** Creates rows: derives all of them from the input and from defaults. */

import type { Steps } from '#base';
import type { Column, Table } from '#catalog';
import type { Datum, Row } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import { LongList, type Sequence } from '../batch/long-list.ts';
import type { RowStore } from '../batch/row-store.ts';
import { defaultValues } from './defaults.ts';
import { allocate, isIncrement, raiseMark } from './increment.ts';
import { allAtOnce, eachChunk } from './input-chunks.ts';
import type { MutationContext } from './mutation-context.ts';
import { insertRows, rowChange } from './row-change.ts';
import type { NamedRows, RowSink } from './targets.ts';

/** Passes the new rows, in catalog order, to `written`. */
export function* createRows(
  mutationContext: MutationContext,
  { table, columnIndexes, input }: NamedRows,
  written: RowSink,
): Steps<void> {
  const change = rowChange(table);
  const each = isOnePiece(table, columnIndexes) ? allAtOnce : eachChunk;
  yield* each(mutationContext, input, function* (chunk) {
    const vectors = yield* deriveColumns(mutationContext, table, columnIndexes, chunk);
    const rows = yield* rowsOf(mutationContext, vectors, chunk.length);
    yield* insertRows(mutationContext, change, rows);
    yield* written(rows);
  });
}

/**
 * Returns whether all rows have to be in memory together: they are numbered in the order of their other columns, or they may reference rows that
 * follow them.
 */
function isOnePiece(table: Table, columnIndexes: readonly number[]): boolean {
  const isNumbered = table.columns.some(
    (column, c) => isIncrement(column) && (columnIndexes[c] as number) < 0,
  );
  return isNumbered || table.foreignKeys.some(({ refTable }) => refTable === table.id);
}

/**
 * Returns the rows of the program if they can be stored unchanged: every column is supplied, in catalog order, and no value is converted. Copying
 * them to columns and back to rows would need twice their memory. Returns undefined for other inputs.
 */
export function givenRows(
  table: Table,
  columnIndexes: readonly number[],
  rows: readonly Row[],
): readonly Row[] | undefined {
  const { columns } = table;
  for (let c = 0; c < columns.length; c++) {
    const column = columns[c] as Column;
    if (columnIndexes[c] !== c || column.type === 'bytes' || isIncrement(column)) return undefined;
  }
  if (rows.length > 0 && (rows[0] as Row).length !== columns.length) return undefined;
  return rows;
}

function* rowsOf(
  mutationContext: MutationContext,
  vectors: readonly ChunkedColumn[],
  count: number,
): Steps<Sequence<Row>> {
  mutationContext.holdArrays(count, vectors.length);
  const rows = new LongList<Row>();
  for (let i = 0; i < count; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const row: Datum[] = new Array(vectors.length);
    for (let c = 0; c < vectors.length; c++) row[c] = valueAt(vectors[c] as ChunkedColumn, i);
    rows.push(row);
  }
  return rows;
}

/** Returns one vector for each column, with the supplied values or the default. */
function* deriveColumns(
  mutationContext: MutationContext,
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): Steps<ChunkedColumn[]> {
  const vectors: ChunkedColumn[] = [];
  for (let c = 0; c < table.columns.length; c++) {
    const columnIndex = columnIndexes[c] as number;
    const column = table.columns[c] as Column;
    const supplied = columnIndex < 0 ? undefined : (input.columns[columnIndex] as ChunkedColumn);
    vectors.push(supplied ?? (yield* defaultValues(mutationContext, column.default, input.length)));
  }
  const isAllocated = (ordinal: number) =>
    (columnIndexes[ordinal] as number) < 0 && isIncrement(table.columns[ordinal] as Column);
  for (let c = 0; c < vectors.length; c++) {
    const column = table.columns[c] as Column;
    if (isAllocated(c)) yield* allocate(mutationContext, table, c, vectors);
    else if (isIncrement(column))
      yield* raiseMark(mutationContext, table, column, vectors[c] as ChunkedColumn);
  }
  return vectors;
}
