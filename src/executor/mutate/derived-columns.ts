/** Derives all columns of new rows from an input and from defaults. */

import type { Steps } from '#base';
import type { Column } from '#catalog';
import type { Datum, Row } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import { LongList, type Sequence } from '../batch/long-list.ts';
import type { RowStore } from '../batch/row-store.ts';
import { defaultValues } from './defaults.ts';
import { isIncrement, raiseMark } from './increment.ts';
import type { MutationContext } from './mutation-context.ts';
import type { NamedRows } from './target-keys.ts';

type Named = Pick<NamedRows, 'table' | 'columnIndexes'>;

/** Returns the ordinals of the columns that the server numbers by `increment`. */
export function numberedOrdinals({ table, columnIndexes }: Named): readonly number[] {
  return table.columns.flatMap((column, ordinal) =>
    isIncrement(column) && (columnIndexes[ordinal] as number) < 0 ? [ordinal] : [],
  );
}

/** Returns one vector for each column, in catalog order: the supplied values or the default, and NULL for rows that are still to be numbered. */
export function* derivedColumns(
  mutationContext: MutationContext,
  { table, columnIndexes }: Named,
  input: RowStore,
): Steps<ChunkedColumn[]> {
  const vectors: ChunkedColumn[] = [];
  for (let c = 0; c < table.columns.length; c++) {
    const columnIndex = columnIndexes[c] as number;
    const column = table.columns[c] as Column;
    const supplied = columnIndex < 0 ? undefined : (input.columns[columnIndex] as ChunkedColumn);
    vectors.push(supplied ?? (yield* defaultValues(mutationContext, column.default, input.length)));
    if (supplied !== undefined && isIncrement(column)) {
      yield* raiseMark(mutationContext, table, column, supplied);
    }
  }
  return vectors;
}

export function* rowsOf(
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
