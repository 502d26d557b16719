/** Maintains the entries of an active index. The entries of a unique index must be unique once all changes of a statement are applied. */

import type { Steps } from '#base';
import { checkIndexEntry, type IndexLayout } from '#layout';
import type { Row } from '#value';
import type { Sequence } from '../batch/long-list.ts';
import { ChangedEntries } from './changed-entries.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { SortedPiece } from './entry-list.ts';
import type { MutationContext } from './mutation-context.ts';
import { checkUniquePiece, duplicate } from './unique-check.ts';
import type { IndexEntry, UniqueEntries } from './unique-entries.ts';

export interface KeyedRow {
  readonly key: Uint8Array;
  readonly row: Row;
}

/** Rows and their keys, by row number. */
export interface NumberedRows {
  readonly keys: readonly Uint8Array[];
  readonly rows: readonly Row[];
}

/** Rows before and after a change, by row number. */
export interface ChangedRows {
  readonly before: NumberedRows;
  readonly after: readonly Row[];
}

/** New rows, possibly millions. */
export interface AddedRows {
  /** The key of each row with its body or nothing, by row number. No entry is added to it any more. */
  readonly run: EntryBuffer;
  readonly rows: Sequence<Row>;
}

/**
 * Maximum number of rows whose entries are in memory at the same time. The entries of a chunk are written to the transaction before the next
 * chunk is checked.
 */
const pieceRows = 16_384;

export function* addEntries(
  mutationContext: MutationContext,
  layout: IndexLayout,
  added: AddedRows,
): Steps<void> {
  for (let from = 0; from < added.rows.length; from += pieceRows) {
    yield* addPiece(mutationContext, layout, added, from);
  }
}

function* addPiece(
  mutationContext: MutationContext,
  layout: IndexLayout,
  { run: ofRows, rows }: AddedRows,
  from: number,
): Steps<void> {
  const to = Math.min(rows.length, from + pieceRows);
  const run = new EntryBuffer(layout.range.from.length, undefined, to - from);
  let held = 0;
  let bytes = 0;
  for (let i = from; i < to; i++) {
    const pause = mutationContext.pause(1, bytes);
    if (pause !== undefined) yield pause;
    const { writer } = run;
    const start = writer.length;
    const key = ofRows.bytesOf(i);
    const row = rows.at(i) as Row;
    const keyTo = layout.appendEntryOfRow(writer, row, key, ofRows.keyFrom(i), ofRows.keyTo(i));
    bytes = writer.length - start;
    run.added(keyTo);
    mutationContext.hold(run.heldBytes - held);
    held = run.heldBytes;
  }
  const order = yield* run.order(mutationContext);
  // Once they are written, the memory of the entries is accounted as that of the transaction.
  const piece = new SortedPiece({ run, order }, () => mutationContext.release(held));
  if (layout.index.unique) {
    // biome-ignore lint/correctness/useYield: the number is known.
    yield* checkUniquePiece(mutationContext, layout, piece, function* (at) {
      return from + at;
    });
  }
  yield* piece.put(mutationContext);
}

/** Returns the checked entries of one new row without writing them; undefined if one has to be waited for. */
export function newEntries(
  { transaction }: MutationContext,
  indexes: readonly IndexLayout[],
  row: Row,
  rowKey: Uint8Array,
): readonly IndexEntry[] | undefined {
  if (indexes.length === 0) return noEntries;
  const entries: IndexEntry[] = [];
  for (const layout of indexes) {
    const entry = layout.entry(row, rowKey);
    checkIndexEntry(layout, entry, rowKey);
    if (layout.index.unique && entry.value.length > 0) {
      const present = transaction.get(entry.key);
      if (present instanceof Promise) return undefined;
      if (present !== undefined) throw duplicate(layout, 0);
    }
    entries.push(entry);
  }
  return entries;
}

const noEntries: readonly IndexEntry[] = [];

export function* removeEntries(
  mutationContext: MutationContext,
  layout: IndexLayout,
  { keys, rows }: NumberedRows,
): Steps<void> {
  const removed = new ChangedEntries(mutationContext, layout, rows.length);
  for (let i = 0; i < rows.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    removed.append(rows[i] as Row, keys[i] as Uint8Array);
    removed.add();
  }
  yield* removed.delete();
}

/** Replaces the entries of rows whose tuple has changed. The new ones of a unique index are written when `unique` is finished. */
export function* changeEntries(
  mutationContext: MutationContext,
  layout: IndexLayout,
  { before, after }: ChangedRows,
  unique: UniqueEntries,
): Steps<void> {
  const removed = new ChangedEntries(mutationContext, layout, after.length);
  const added = new ChangedEntries(mutationContext, layout, after.length);
  for (let i = 0; i < after.length; i++) {
    const pause = mutationContext.pause(2);
    if (pause !== undefined) yield pause;
    const rowKey = before.keys[i] as Uint8Array;
    removed.append(before.rows[i] as Row, rowKey);
    added.append(after[i] as Row, rowKey);
    if (removed.hasKeyOf(added)) {
      removed.cut();
      added.cut();
      continue;
    }
    removed.add();
    if (!added.hasValue) added.add();
    else {
      const full = unique.add(layout, added.cut());
      if (full !== undefined) yield* full;
    }
  }
  yield* removed.delete();
  yield* added.put();
}
