/** Finds the rows that reference removed rows through one foreign key. */

import type { Steps } from '#base';
import { columnOrdinal, type ForeignKey, type Table } from '#catalog';
import { encodeInterval, tableLayout } from '#layout';
import type { EntryCursor, KeyRange } from '#storage';
import type { Row, Scalar } from '#value';
import { rowBytes } from '../../batch/datum-bytes.ts';
import { IdentityCodes } from '../../batch/identity-codes.ts';
import { byteListBytes, mapEntryBytes, slotBytes, textBytes } from '../../batch/memory-costs.ts';
import { RowDecoder } from '../../operators/scan/row-decoder.ts';
import type { NumberedRows } from '../index-entries.ts';
import type { MutationContext } from '../mutation-context.ts';
import { keyOrdinals } from '../references.ts';
import { type ReverseAccess, reverseAccess } from './reverse-access.ts';

/** A lookup in an index or a key range costs about as much as processing this many rows. */
const lookupRows = 8;

export interface Reference {
  readonly child: Table;
  readonly foreignKey: ForeignKey;
  readonly parent: Table;
}

/** Returns the referencing rows with their keys; at most `limit`. A row that references several removed rows is returned once. */
export function* referencingRows(
  mutationContext: MutationContext,
  reference: Reference,
  removed: readonly Row[],
  limit: number,
): Steps<NumberedRows> {
  const access = reverseAccess(reference.child, reference.foreignKey);
  const found = new Found(limit);
  if (access.kind === 'scan') yield* scanTable(mutationContext, reference, removed, found);
  else yield* lookUp(mutationContext, reference, { access, removed, found });
  return found;
}

class Found implements NumberedRows {
  readonly keys: Uint8Array[] = [];
  readonly rows: Row[] = [];
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isEnough(): boolean {
    return this.keys.length >= this.limit;
  }

  add(mutationContext: MutationContext, key: Uint8Array, row: Row): void {
    mutationContext.hold(heldBytes(key, row));
    this.keys.push(key);
    this.rows.push(row);
  }
}

/** Returns the bytes of memory that a found row takes. */
export function heldBytes(key: Uint8Array, row: Row): number {
  return 2 * slotBytes + byteListBytes(key.length) + rowBytes(row);
}

interface Lookup {
  readonly access: Exclude<ReverseAccess, { kind: 'scan' }>;
  readonly removed: readonly Row[];
  readonly found: Found;
}

function* lookUp(
  mutationContext: MutationContext,
  { child, foreignKey, parent }: Reference,
  { access, removed, found }: Lookup,
): Steps<void> {
  const decoder = new RowDecoder(child, child.columns);
  const parentOrdinals = access.members.map((member) =>
    columnOrdinal(parent, foreignKey.refColumns[member] as number),
  );
  for (let i = 0; i < removed.length && !found.isEnough; i++) {
    const pause = mutationContext.pause(lookupRows);
    if (pause !== undefined) yield pause;
    const row = removed[i] as Row;
    const prefix = parentOrdinals.map((ordinal) => row[ordinal] as Scalar);
    const range = encodeInterval(access.layout, prefix, undefined, undefined);
    if (range === undefined) continue;
    const rowKeys = yield* keysIn(mutationContext, access, range);
    for (const key of rowKeys.keys) {
      const body = yield* mutationContext.read(key);
      if (body === undefined) continue;
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      found.add(mutationContext, key, decoder.rowOfBody(key, body));
    }
    mutationContext.release(rowKeys.bytes);
  }
}

/** Returns the keys of the rows to which the entries of a range refer. */
function* keysIn(
  mutationContext: MutationContext,
  access: Lookup['access'],
  range: KeyRange,
): Steps<{ readonly keys: readonly Uint8Array[]; readonly bytes: number }> {
  const keys: Uint8Array[] = [];
  let bytes = 0;
  yield* eachEntry(mutationContext, range, (cursor) => {
    const key =
      access.kind === 'primary'
        ? cursor.key.slice(cursor.keyFrom, cursor.keyTo)
        : access.layout.rowKeyOfEntry(
            cursor.key,
            cursor.keyFrom,
            cursor.keyTo,
            cursor.value,
            cursor.valueFrom,
            cursor.valueTo,
          );
    bytes += mutationContext.holdKey(key);
    keys.push(key);
    return true;
  });
  return { keys, bytes };
}

function* scanTable(
  mutationContext: MutationContext,
  { child, foreignKey, parent }: Reference,
  removed: readonly Row[],
  found: Found,
): Steps<void> {
  const parentLayout = tableLayout(parent);
  const wanted = new IdentityCodes();
  let wantedBytes = 0;
  for (let i = 0; i < removed.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const name = text(parentLayout.keyOfRow(removed[i] as Row));
    if (wanted.get(name) !== undefined) continue;
    wanted.add(name, i);
    wantedBytes += mapEntryBytes + textBytes(name);
    mutationContext.hold(mapEntryBytes + textBytes(name));
  }
  const ordinals = keyOrdinals(child, foreignKey, parent);
  const reader = tableLayout(child).reader();
  const decoder = new RowDecoder(child, child.columns);
  yield* eachEntry(mutationContext, tableLayout(child).range, (cursor) => {
    reader.open(
      cursor.key,
      cursor.keyFrom,
      cursor.keyTo,
      cursor.value,
      cursor.valueFrom,
      cursor.valueTo,
    );
    const values = ordinals.map((ordinal) => reader.cell(ordinal));
    if (values.includes(null)) return true;
    if (wanted.get(text(parentLayout.keyOfValues(values))) === undefined) return true;
    const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
    const body = cursor.value.slice(cursor.valueFrom, cursor.valueTo);
    found.add(mutationContext, key, decoder.rowOfBody(key, body));
    return !found.isEnough;
  });
  mutationContext.release(wantedBytes);
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
