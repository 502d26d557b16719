/**
 * Writes an index entry for each row of the table. A unique index refuses equal tuples without NULL. The entries are sorted first, on disk if they
 * exceed their memory: written in row order, each would be inserted among all others.
 */

import type { Steps } from '#base';
import { columnsOf, type Index, type Table } from '#catalog';
import { type IndexLayout, indexLayout, tableLayout } from '#layout';
import type { SortedPiece } from '../mutate/entry-list.ts';
import { EntrySort } from '../mutate/entry-sort.ts';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { refuseRepeated } from '../mutate/unique-check.ts';
import { KeyedColumns } from './keyed-columns.ts';

/** Number of rows between two calls of `pause`. */
const rowsAtOnce = 512;

/** Builds a new index, which must have no entries yet. */
export function* backfillIndex(
  mutationContext: MutationContext,
  table: Table,
  index: Index,
): Steps<void> {
  const layout = indexLayout(table, index);
  const prefixLength = layout.range.from.length;
  const sort = new EntrySort(mutationContext, { prefixLength, part: 1 });
  yield* collect(mutationContext, table, layout, sort);
  const entries = yield* sort.finish();
  yield* entries.eachPiece((piece) => put(mutationContext, layout, piece));
  entries.close();
}

function* collect(
  mutationContext: MutationContext,
  table: Table,
  layout: IndexLayout,
  sort: EntrySort,
): Steps<void> {
  const rows = new KeyedColumns(table, columnsOf(table, layout.index.columns));
  const cursor = mutationContext.transaction.scan(tableLayout(table).range, 'forward');
  try {
    cursor.preferRuns?.();
    for (;;) {
      const step = cursor.next();
      if (step instanceof Promise) {
        yield step;
        continue;
      }
      if (!step) return;
      rows.read(cursor, rowsAtOnce);
      addEntries(layout, rows, sort);
      const pause = mutationContext.pause(rows.count);
      if (pause !== undefined) yield pause;
      if (sort.isOver) yield* sort.spill();
    }
  } finally {
    cursor.close();
  }
}

function addEntries(layout: IndexLayout, rows: KeyedColumns, sort: EntrySort): void {
  for (let i = 0; i < rows.count; i++) {
    rows.takeKey(i);
    sort.added(
      layout.appendEntry(sort.writer, rows.columns, i, rows.key, rows.keyFrom, rows.keyTo),
    );
  }
}

function* put(
  mutationContext: MutationContext,
  layout: IndexLayout,
  piece: SortedPiece,
): Steps<void> {
  if (layout.index.unique) yield* refuseRepeated(mutationContext, layout, piece);
  yield* piece.put(mutationContext);
}
