/**
 * Writes an entry for each row of the table; under `unique`, equal tuples without NULL are refused. The entries are put in runs that are in the
 * order of their keys: one by one, in the order of the rows, each would look for its place among all others.
 */

import type { Index, Table } from '#catalog';
import { checkIndexEntry, type IndexLayout, indexLayout } from '#layout';
import type { Row } from '#value';
import { duplicate } from '../mutate/index-entries.ts';
import type { Writing } from '../mutate/writing.ts';
import type { Steps } from '../steps.ts';
import { EntryRun, type RunLimits } from './entry-run.ts';
import { eachPiece } from './stored-rows.ts';

/** The index is new: nobody has written an entry of it. */
export function* backfillIndex(
  writing: Writing,
  table: Table,
  index: Index,
  limits?: RunLimits,
): Steps<void> {
  const layout = indexLayout(table, index);
  const run = new EntryRun(layout.range.from.length, limits);
  let isFirst = true;
  let held = 0;
  const account = () => {
    writing.hold(run.heldBytes - held);
    held = run.heldBytes;
    writing.account();
  };
  yield* eachPiece(writing, table, layout.ordinals, function* ({ keys, rows }) {
    for (let i = 0; i < rows.length; i++) {
      const pause = writing.pause();
      if (pause !== undefined) yield pause;
      const rowKey = keys[i] as Uint8Array;
      const entry = layout.entry(rows[i] as Row, rowKey);
      checkIndexEntry(layout, entry, rowKey);
      run.add(entry);
    }
    account();
    if (!run.isFull) return;
    yield* put(writing, layout, run, isFirst);
    isFirst = false;
  });
  yield* put(writing, layout, run, isFirst);
  writing.release(held);
  writing.account();
}

/** The run is empty afterwards. Before the first one there are no entries. */
function* put(writing: Writing, layout: IndexLayout, run: EntryRun, isFirst: boolean): Steps<void> {
  const order = yield* run.order(writing);
  const { unique } = layout.index;
  for (let i = 0; i < order.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const at = order[i] as number;
    // Tuples with NULL have no value, and the key of their row in their own.
    if (unique && run.hasValue(at)) {
      const isRepeated = i > 0 && run.isRepeated(order[i - 1] as number, at);
      const isThere = isRepeated || (!isFirst && (yield* writing.read(run.key(at))) !== undefined);
      if (isThere) throw duplicate(layout.table, layout.index);
    }
    run.put(at, writing);
  }
  run.clear();
}
