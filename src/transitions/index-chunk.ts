/**
 * Adds a chunk of rows to an index that is being built. Entries that writers have added are equal, so that they are kept or overwritten. If rows
 * are stored as columns, only the columns of the index are read. Entries are written consecutively into memory that the transaction takes over.
 */

import { afterKey, ByteWriter, equalBytes } from '#base';
import { columnsOf, type Index, type Table } from '#catalog';
import { KeyedColumns } from '#executor';
import { claimKey, claimRange, indexLayout, tableLayout, valueOfClaim } from '#layout';
import { type EntryCursor, eachEntry, keyUnder, readValue, type Transaction } from '#storage';
import type { Scanned, ScanRange } from './chunk.ts';

const nothing = new Uint8Array(0);
/** An index entry for the key of a row. */
interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Approximate bytes of an entry. */
const entryBytes = 48;

export async function indexChunk(
  transaction: Transaction,
  table: Table,
  index: Index,
  { after, rowsMax }: ScanRange,
): Promise<Scanned> {
  const layout = indexLayout(table, index);
  const { range } = tableLayout(table);
  const from = after === undefined ? range.from : afterKey(after);
  const rows = new KeyedColumns(table, columnsOf(table, index.columns));
  const writer = new ByteWriter(rowsMax * entryBytes);
  /** For each entry, the end of its key and the end of its value; entries follow each other. */
  const ends: number[] = [];
  let count = 0;
  let last: Uint8Array | undefined;
  const enter = (cursor: EntryCursor) => {
    rows.read(cursor, rowsMax - count);
    for (let i = 0; i < rows.count; i++) {
      rows.takeKey(i);
      const { columns, key, keyFrom, keyTo } = rows;
      ends.push(layout.appendEntry(writer, columns, i, key, keyFrom, keyTo), writer.length);
    }
    count += rows.count;
    last = rows.key.slice(rows.keyFrom, rows.keyTo);
    return count < rowsMax;
  };
  await eachEntry(transaction, { from, to: range.to }, enter, true);
  await putEntries(transaction, index, writer.bytes, ends);
  return { count, last };
}

/** Adds the present rows of entries again; removed rows are skipped. If a tuple has no entry, a claim that was made while it had one replaces it. */
export async function enterAgain(
  transaction: Transaction,
  table: Table,
  index: Index,
  entries: readonly Entry[],
): Promise<void> {
  const layout = indexLayout(table, index);
  const reader = tableLayout(table).reader();
  for (const { key, value } of entries) {
    const rowKey = layout.rowKeyOfEntry(key, 0, key.length, value, 0, value.length);
    const body = await readValue(transaction, rowKey);
    if (body !== undefined) {
      reader.open(rowKey, 0, rowKey.length, body, 0, body.length);
      const row = table.columns.map((_, ordinal) => reader.cell(ordinal));
      const now = layout.entry(row, rowKey);
      if (await isFree(transaction, index, now)) transaction.put(now.key, now.value);
    }
    await putHeir(transaction, index, key);
  }
}

async function putHeir(transaction: Transaction, index: Index, key: Uint8Array): Promise<void> {
  if ((await readValue(transaction, key)) !== undefined) return;
  let heir: Uint8Array | undefined;
  await eachEntry(transaction, claimRange(index.physicalId, key), (cursor) => {
    heir = keyUnder(cursor);
    return false;
  });
  if (heir === undefined) return;
  transaction.delete(heir);
  transaction.put(key, valueOfClaim(heir, key));
}

/** Returns whether the entry has to be written. The first row of a tuple has the entry; every other row gets a claim on it. */
async function isFree(
  transaction: Transaction,
  index: Index,
  { key, value }: Entry,
): Promise<boolean> {
  if (value.length === 0) return true;
  const found = transaction.get(key);
  const held = found instanceof Promise ? await readValue(transaction, key) : found;
  if (held !== undefined && !equalBytes(held, value)) {
    transaction.put(claimKey(index.physicalId, { key, value }), nothing);
  }
  return held === undefined;
}

async function putEntries(
  transaction: Transaction,
  index: Index,
  bytes: Uint8Array,
  ends: readonly number[],
): Promise<void> {
  const owned = transaction.own(bytes);
  let from = 0;
  for (let i = 0; i < ends.length; i += 2) {
    const keyTo = ends[i] as number;
    const valueTo = ends[i + 1] as number;
    const key = bytes.subarray(from, keyTo);
    const isWanted =
      valueTo === keyTo ||
      (await isFree(transaction, index, { key, value: bytes.subarray(keyTo, valueTo) }));
    if (isWanted) transaction.putOwned(owned, from, keyTo, valueTo);
    from = valueTo;
  }
}
