/** Finds the rows that refer to removed rows through one foreign key. */

import { afterKey, type Steps } from '#base';
import type { ForeignKey, Table } from '#catalog';
import { encodeInterval, tableLayout } from '#layout';
import type { EntryCursor, KeyRange } from '#storage';
import type { Row, Scalar } from '#value';
import { rowBytes } from '../../batch/datum-bytes.ts';
import { IdentityCodes } from '../../batch/identity-codes.ts';
import { byteListBytes, mapEntryBytes, slotBytes, textBytes } from '../../batch/memory-costs.ts';
import { batchRowsMax, type Vector } from '../../batch/vector.ts';
import { RowDecoder } from '../../operators/scan/row-decoder.ts';
import type { RowList } from '../../spill/row-list.ts';
import type { NumberedRows } from '../index-entries.ts';
import type { MutationContext } from '../mutation-context.ts';
import { keyOrdinals } from '../references.ts';
import { type ReverseAccess, reverseAccess } from './reverse-access.ts';

/** A lookup in an index or a key range costs about as much as processing this many rows. */
const lookupRows = 8;
/** Number of rows that are found before they are visited. */
const foundRows = 4096;
/** The parts of the share of an operator that found rows, and the keys that a scan looks for, may take. */
const foundPart = 1 / 8;
const wantedPart = 1 / 2;

export interface Reference {
  readonly child: Table;
  readonly foreignKey: ForeignKey;
  readonly parent: Table;
}

/** Receives referring rows with their keys, which may be changed or removed; returns false if no further ones are wanted. */
type Visit = (found: NumberedRows) => Steps<boolean>;

/**
 * Calls `visit` for the rows that refer to removed rows, a few thousand at a time. `removed` contains the primary keys of the removed rows. A
 * row is visited once, if it still exists then.
 */
export function* eachReferring(
  mutationContext: MutationContext,
  reference: Reference,
  removed: RowList,
  visit: Visit,
  foundMax = foundRows,
): Steps<void> {
  const access = reverseAccess(reference.child, reference.foreignKey);
  const found = new Found(mutationContext, visit, foundMax);
  if (access.kind === 'scan') yield* scanForAll(mutationContext, reference, removed, found);
  else yield* lookUp(mutationContext, reference, { access, removed, found });
  yield* found.flush();
}

/** The rows that were found and not visited yet. */
class Found {
  /** Whether no further rows are wanted. */
  isEnough = false;
  private readonly mutationContext: MutationContext;
  private readonly visit: Visit;
  private readonly max: number;
  private readonly bytesMax: number;
  private keys: Uint8Array[] = [];
  private rows: Row[] = [];
  private bytes = 0;

  constructor(mutationContext: MutationContext, visit: Visit, max: number) {
    this.mutationContext = mutationContext;
    this.visit = visit;
    this.max = max;
    this.bytesMax = mutationContext.run.memory.shareBytes * foundPart;
  }

  get isFull(): boolean {
    return this.keys.length >= this.max || this.bytes >= this.bytesMax;
  }

  add(key: Uint8Array, row: Row): void {
    const bytes = 2 * slotBytes + byteListBytes(key.length) + rowBytes(row);
    this.mutationContext.hold(bytes);
    this.bytes += bytes;
    this.keys.push(key);
    this.rows.push(row);
  }

  /** Visits the rows, and releases what was held for them and by the visit. */
  *flush(): Steps<void> {
    const { keys, rows, mutationContext } = this;
    if (rows.length === 0) return;
    const before = mutationContext.heldBytes - this.bytes;
    this.keys = [];
    this.rows = [];
    this.bytes = 0;
    this.isEnough = !(yield* this.visit({ keys, rows }));
    mutationContext.release(mutationContext.heldBytes - before);
  }
}

interface Lookup {
  readonly access: Exclude<ReverseAccess, { kind: 'scan' }>;
  readonly removed: RowList;
  readonly found: Found;
}

function* lookUp(
  mutationContext: MutationContext,
  { child, foreignKey, parent }: Reference,
  { access, removed, found }: Lookup,
): Steps<void> {
  const decoder = new RowDecoder(child, child.columns);
  const places = access.members.map((member) =>
    parent.primaryKey.indexOf(foreignKey.refColumns[member] as number),
  );
  const reader = removed.reader();
  for (let batch = reader.read(batchRowsMax); batch; batch = reader.read(batchRowsMax)) {
    for (let i = 0; i < batch.count; i++) {
      const pause = mutationContext.pause(lookupRows);
      if (pause !== undefined) yield pause;
      const { columns } = batch;
      const prefix = places.map((place) => (columns[place] as Vector)[i] as Scalar);
      const range = encodeInterval(access.layout, prefix, undefined, undefined);
      if (range !== undefined) yield* findIn(mutationContext, access, range, { decoder, found });
      if (found.isEnough) return;
    }
  }
}

/** Finds the rows to which the entries of a range refer. */
function* findIn(
  mutationContext: MutationContext,
  access: Lookup['access'],
  range: KeyRange,
  { decoder, found }: { readonly decoder: RowDecoder; readonly found: Found },
): Steps<void> {
  for (let rest: KeyRange | undefined = range; rest !== undefined; ) {
    const rowKeys: KeysInRange = yield* keysIn(mutationContext, access, rest);
    for (const key of rowKeys.keys) {
      const body = yield* mutationContext.read(key);
      if (body === undefined) continue;
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      found.add(key, decoder.rowOfBody(key, body));
    }
    mutationContext.release(rowKeys.bytes);
    if (found.isFull) yield* found.flush();
    if (found.isEnough || rowKeys.last === undefined) return;
    rest = { from: afterKey(rowKeys.last), to: range.to };
  }
}

interface KeysInRange {
  readonly keys: readonly Uint8Array[];
  readonly bytes: number;
  /** The last entry that was read, if further ones may follow. */
  readonly last: Uint8Array | undefined;
}

/** Returns the keys of the rows to which the first entries of a range refer. */
function* keysIn(
  mutationContext: MutationContext,
  access: Lookup['access'],
  range: KeyRange,
): Steps<KeysInRange> {
  const keys: Uint8Array[] = [];
  let bytes = 0;
  let last: Uint8Array | undefined;
  yield* eachEntry(mutationContext, range, (cursor) => {
    const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
    const rowKey =
      access.kind === 'primary'
        ? key.slice(keyFrom, keyTo)
        : access.layout.rowKeyOfEntry(key, keyFrom, keyTo, value, valueFrom, valueTo);
    bytes += mutationContext.holdKey(rowKey);
    keys.push(rowKey);
    if (keys.length === foundRows) last = key.slice(keyFrom, keyTo);
    return last === undefined;
  });
  return { keys, bytes, last };
}

/** Scans the table for the rows that refer to any removed row, once for each part of the removed rows that memory holds. */
function* scanForAll(
  mutationContext: MutationContext,
  reference: Reference,
  removed: RowList,
  found: Found,
): Steps<void> {
  const layout = tableLayout(reference.parent);
  const bytesMax = mutationContext.run.memory.shareBytes * wantedPart;
  const reader = removed.reader();
  while (reader.at < removed.length && !found.isEnough) {
    const wanted = new IdentityCodes();
    let bytes = 0;
    while (bytes < bytesMax) {
      const pause = mutationContext.pause(batchRowsMax);
      if (pause !== undefined) yield pause;
      const batch = reader.read(batchRowsMax);
      if (batch === undefined) break;
      for (let i = 0; i < batch.count; i++) {
        const key = layout.keyOfValues(batch.columns.map((column) => column[i] as Scalar));
        const name = text(key);
        wanted.add(name, i);
        bytes += mapEntryBytes + textBytes(name);
      }
    }
    mutationContext.hold(bytes);
    yield* scanTable(mutationContext, reference, wanted, found);
    mutationContext.release(bytes);
  }
}

function* scanTable(
  mutationContext: MutationContext,
  { child, foreignKey, parent }: Reference,
  wanted: IdentityCodes,
  found: Found,
): Steps<void> {
  const parentLayout = tableLayout(parent);
  const ordinals = keyOrdinals(child, foreignKey, parent);
  const reader = tableLayout(child).reader();
  const decoder = new RowDecoder(child, child.columns);
  const { range } = tableLayout(child);
  for (let rest: KeyRange | undefined = range; rest !== undefined && !found.isEnough; ) {
    let last: Uint8Array | undefined;
    yield* eachEntry(mutationContext, rest, (cursor) => {
      const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
      reader.open(key, keyFrom, keyTo, value, valueFrom, valueTo);
      const values = ordinals.map((ordinal) => reader.cell(ordinal));
      if (values.includes(null)) return true;
      if (wanted.get(text(parentLayout.keyOfValues(values))) === undefined) return true;
      const rowKey = key.slice(keyFrom, keyTo);
      found.add(rowKey, decoder.rowOfBody(rowKey, value.slice(valueFrom, valueTo)));
      if (found.isFull) last = rowKey;
      return last === undefined;
    });
    if (last !== undefined) yield* found.flush();
    rest = last && { from: afterKey(last), to: range.to };
  }
}

/** Visits the entries of a range until `visit` returns false. */
export function* eachEntry(
  mutationContext: MutationContext,
  range: KeyRange,
  visit: (cursor: EntryCursor) => boolean,
): Steps<void> {
  const cursor = mutationContext.transaction.scan(range, 'forward');
  try {
    for (;;) {
      const step = cursor.next();
      if (step instanceof Promise) {
        yield step;
        continue;
      }
      if (!step || !visit(cursor)) return;
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
    }
  } finally {
    cursor.close();
  }
}

function text(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
