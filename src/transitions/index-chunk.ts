/**
 * Enters a stretch of rows into an index in the making. Entries that writers have made are left or written again: they are the same. Of rows that lie as columns
 * only those of the index are read, and entries are written one behind the other into memory that the transaction takes over.
 */

import { afterKey, ByteWriter, equalBytes } from '#base';
import { columnsOf, type Index, type Table } from '#catalog';
import { KeyedColumns } from '#executor';
import { claimKey, indexLayout, tableLayout } from '#layout';
import type { Transaction } from '#storage';
import type { Scanned, Stretch } from './chunk.ts';
import { readValue } from './reading.ts';

const nothing = new Uint8Array(0);
/** Of an entry, about. */
const entryBytes = 48;

export async function indexChunk(
  transaction: Transaction,
  table: Table,
  index: Index,
  { after, rowsMax }: Stretch,
): Promise<Scanned> {
  const layout = indexLayout(table, index);
  const { range } = tableLayout(table);
  const from = after === undefined ? range.from : afterKey(after);
  const rows = new KeyedColumns(table, columnsOf(table, index.columns));
  const writer = new ByteWriter(rowsMax * entryBytes);
  /** Of each entry, where its key and its value end: they follow each other. */
  const ends: number[] = [];
  let count = 0;
  let last: Uint8Array | undefined;
  const cursor = transaction.scan({ from, to: range.to }, 'forward');
  try {
    cursor.preferRuns?.();
    while (count < rowsMax) {
      const step = cursor.next();
      if (step instanceof Promise) {
        await step;
        continue;
      }
      if (!step) break;
      rows.read(cursor, rowsMax - count);
      for (let i = 0; i < rows.count; i++) {
        rows.takeKey(i);
        const { columns, key, keyFrom, keyTo } = rows;
        ends.push(layout.appendEntry(writer, columns, i, key, keyFrom, keyTo), writer.length);
      }
      count += rows.count;
      last = rows.key.slice(rows.keyFrom, rows.keyTo);
    }
  } finally {
    cursor.close();
  }
  await putEntries(transaction, index, writer.bytes, ends);
  return { count, last };
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
    let isFree = true;
    if (valueTo > keyTo) {
      const entry = { key: bytes.subarray(from, keyTo), value: bytes.subarray(keyTo, valueTo) };
      const found = transaction.get(entry.key);
      const held = found instanceof Promise ? await readValue(transaction, entry.key) : found;
      isFree = held === undefined;
      // The first row of a tuple has the entry, every other one a claim on it.
      if (held !== undefined && !equalBytes(held, entry.value)) {
        transaction.put(claimKey(index.physicalId, entry), nothing);
      }
    }
    if (isFree) transaction.putOwned(owned, from, keyTo, valueTo);
    from = valueTo;
  }
}
