/** Maintains the entries of an active index. The entries of a unique index must be unique once all changes of a statement are applied. */

import { equalBytes, type Steps } from '#base';
import { fail } from '#failure';
import { checkIndexEntry, type IndexLayout } from '#layout';
import type { Row } from '#value';
import type { Sequence } from '../batch/long-list.ts';
import { byteListBytes, objectBytes, slotBytes } from '../batch/memory-costs.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { firstRepeated, keyOrder } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';

/** An index entry, as the layout of the index encodes it from a row. */
export interface IndexEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface KeyedRow {
  readonly key: Uint8Array;
  readonly row: Row;
}

/** Rows and their keys, by row number. */
export interface NumberedRows {
  readonly keys: readonly Uint8Array[];
  readonly rows: readonly Row[];
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
  if (layout.index.unique) yield* checkUniqueRun(mutationContext, layout, { run, order, from });
  // From here on, the memory is accounted as written entries.
  mutationContext.release(held);
  run.handOver(mutationContext);
  for (let i = 0; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    run.put(order[i] as number, mutationContext);
  }
}

interface OrderedPiece {
  readonly run: EntryBuffer;
  /** The numbers of the entries in key order. */
  readonly order: Uint32Array;
  /** Row number of entry 0. */
  readonly from: number;
}

/** Throws `constraint_violation` if a tuple without NULL occurs twice in the run, or has an entry already. */
function* checkUniqueRun(
  mutationContext: MutationContext,
  layout: IndexLayout,
  { run, order, from }: OrderedPiece,
): Steps<void> {
  for (let i = 1; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    // Tuples with NULL never repeat: their keys contain the keys of their rows.
    if (run.isRepeated(order[i - 1] as number, order[i] as number)) {
      throw duplicate(layout, from + (order[i] as number));
    }
  }
  const complete = order.filter((at) => run.hasValue(at));
  yield* mutationContext.readAll(run.keys, complete, (at, value) => {
    if (value !== undefined) throw duplicate(layout, from + at);
  });
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
  removed: NumberedRows,
): Steps<void> {
  for (let i = 0; i < removed.rows.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    mutationContext.delete(layout.entry(removed.rows[i] as Row, removed.keys[i] as Uint8Array).key);
  }
}

/** An entry with the number of its row. */
interface NumberedEntry extends IndexEntry {
  readonly row: number;
}

/** Replaces the entries of rows whose tuple has changed. First removes all old entries, so that rows may swap values. */
export function* changeEntries(
  mutationContext: MutationContext,
  layout: IndexLayout,
  before: NumberedRows,
  after: readonly Row[],
): Steps<void> {
  const fresh: NumberedEntry[] = [];
  let bytes = 0;
  for (let i = 0; i < after.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const rowKey = before.keys[i] as Uint8Array;
    const old = layout.entry(before.rows[i] as Row, rowKey);
    const entry = layout.entry(after[i] as Row, rowKey);
    if (equalBytes(old.key, entry.key)) continue;
    checkIndexEntry(layout, entry, rowKey);
    mutationContext.delete(old.key);
    bytes += holdEntry(mutationContext, entry);
    fresh.push({ ...entry, row: i });
  }
  yield* putEntries(mutationContext, layout, fresh);
  mutationContext.release(bytes);
}

function holdEntry(mutationContext: MutationContext, { key, value }: IndexEntry): number {
  const bytes = slotBytes + objectBytes + byteListBytes(key.length) + byteListBytes(value.length);
  mutationContext.hold(bytes);
  return bytes;
}

function* putEntries(
  mutationContext: MutationContext,
  layout: IndexLayout,
  entries: readonly NumberedEntry[],
): Steps<void> {
  if (layout.index.unique) yield* checkUnique(mutationContext, layout, entries);
  for (let i = 0; i < entries.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const { key, value } = entries[i] as IndexEntry;
    mutationContext.put(key, value);
  }
}

/** Throws `constraint_violation` if a tuple without NULL occurs twice in `entries`, or has an entry already. Entries of tuples with NULL have an empty value. */
function* checkUnique(
  mutationContext: MutationContext,
  layout: IndexLayout,
  entries: readonly NumberedEntry[],
): Steps<void> {
  const keys: Uint8Array[] = [];
  const rows: number[] = [];
  for (let i = 0; i < entries.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const { key, value, row } = entries[i] as NumberedEntry;
    if (value.length === 0) continue;
    keys.push(key);
    rows.push(row);
  }
  const order = yield* keyOrder(mutationContext, keys);
  const repeated = yield* firstRepeated(mutationContext, keys, order);
  if (repeated >= 0) throw duplicate(layout, rows[repeated]);
  yield* mutationContext.readAll(keys, order, (at, value) => {
    if (value !== undefined) throw duplicate(layout, rows[at]);
  });
}

/** Returns the failure of a repeated tuple. For `inputRow`, see `Failure`. */
export function duplicate({ table, index }: IndexLayout, inputRow?: number): Error {
  const execution = { table: table.name, index: index.name };
  const detail = `unique index "${index.name}" of table "${table.name}" would hold the same values twice`;
  return fail('constraint_violation', detail, { execution, inputRow });
}
