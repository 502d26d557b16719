/** Appends to a list in steps: batches, and rows as statements write and return them. */

import type { Steps } from '#base';
import type { Datum, Row } from '#value';
import type { Batch } from '../batch/batch.ts';
import type { Sequence } from '../batch/long-list.ts';
import { batchRowsMax, denseSelection } from '../batch/vector.ts';
import type { Pause, RowList } from './row-list.ts';

/** Appends a batch, which must not change meanwhile. */
export function* appendTo(list: RowList, batch: Batch, pause: Pause): Steps<void> {
  list.append(batch);
  for (let wait = list.settle(pause); wait !== undefined; wait = list.settle(pause)) yield wait;
}

/** Makes all rows of the list readable. */
export function* flushed(list: RowList): Steps<void> {
  for (let wait = list.flush(); wait !== undefined; wait = list.flush()) yield wait;
}

/** Appends the rows, and makes them readable. */
export function* listRows(list: RowList, rows: Sequence<Row>, pause: Pause): Steps<void> {
  for (let from = 0; from < rows.length; from += batchRowsMax) {
    const before = pause(batchRowsMax);
    if (before !== undefined) yield before;
    const piece = rows.slice(from, from + batchRowsMax);
    const columns = list.types.map((_, c) => piece.map((row) => row[c] as Datum));
    yield* appendTo(list, { columns, selection: denseSelection, count: piece.length }, pause);
  }
  yield* flushed(list);
}
