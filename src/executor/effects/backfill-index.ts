/**
 * Writes an index entry for each row of the table. A unique index refuses equal tuples without NULL. The entries are written in sorted runs:
 * written in row order, each would be inserted among all others.
 */

import type { Steps } from '#base';
import { columnsOf, type Index, type Table } from '#catalog';
import { type IndexLayout, indexLayout, tableLayout } from '#layout';
import { EntryBuffer, type RunLimits } from '../mutate/entry-buffer.ts';
import { duplicate } from '../mutate/index-entries.ts';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { KeyedColumns } from './keyed-columns.ts';

/** Number of rows between two calls of `pause`. */
const rowsAtOnce = 512;

/** Builds a new index, which must have no entries yet. */
export function* backfillIndex(
  mutationContext: MutationContext,
  table: Table,
  index: Index,
  limits?: RunLimits,
): Steps<void> {
  const layout = indexLayout(table, index);
  const run = new EntryBuffer(layout.range.from.length, limits);
  const rows = new KeyedColumns(table, columnsOf(table, index.columns));
  const cursor = mutationContext.transaction.scan(tableLayout(table).range, 'forward');
  let isFirst = true;
  let held = 0;
  try {
    cursor.preferRuns?.();
    for (;;) {
      const step = cursor.next();
      if (step instanceof Promise) {
        yield step;
        continue;
      }
      if (!step) break;
      rows.read(cursor, rowsAtOnce);
      addEntries(layout, rows, run);
      const pause = mutationContext.pause(rows.count);
      if (pause !== undefined) yield pause;
      mutationContext.hold(run.heldBytes - held);
      held = run.heldBytes;
      if (!run.isFull) continue;
      mutationContext.account();
      yield* put(mutationContext, layout, run, isFirst);
      isFirst = false;
    }
  } finally {
    cursor.close();
  }
  mutationContext.account();
  yield* put(mutationContext, layout, run, isFirst);
  mutationContext.release(held);
  mutationContext.account();
}

function addEntries(layout: IndexLayout, rows: KeyedColumns, run: EntryBuffer): void {
  for (let i = 0; i < rows.count; i++) {
    rows.takeKey(i);
    run.added(layout.appendEntry(run.writer, rows.columns, i, rows.key, rows.keyFrom, rows.keyTo));
  }
}

/** Writes the entries of the run in key order and empties it. Before the first run, the index has no entries. */
function* put(
  mutationContext: MutationContext,
  layout: IndexLayout,
  run: EntryBuffer,
  isFirst: boolean,
): Steps<void> {
  const order = yield* run.order(mutationContext);
  const { unique } = layout.index;
  run.handOver(mutationContext);
  for (let i = 0; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const at = order[i] as number;
    // An entry of a tuple with NULL has no value: its key contains the key of the row.
    if (unique && run.hasValue(at)) {
      const isRepeated = i > 0 && run.isRepeated(order[i - 1] as number, at);
      const isThere =
        isRepeated || (!isFirst && (yield* mutationContext.read(run.key(at))) !== undefined);
      if (isThere) throw duplicate(layout);
    }
    run.put(at, mutationContext);
  }
  run.clear();
}
