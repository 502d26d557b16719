/** Enters a stretch of rows into an index in the making. Entries that writers have made are left or written again: they are the same. */

import { equalBytes } from '#base';
import type { Index, Table } from '#catalog';
import { checkIndexEntry, claimKey, indexLayout } from '#layout';
import type { Transaction } from '#storage';
import type { Row } from '#value';
import { type Chunk, readChunk } from './chunk.ts';
import { readValue } from './reading.ts';

const nothing = new Uint8Array(0);

export async function indexChunk(
  transaction: Transaction,
  table: Table,
  index: Index,
  from: Parameters<typeof readChunk>[3],
): Promise<Chunk> {
  const layout = indexLayout(table, index);
  const chunk = await readChunk(transaction, table, layout.ordinals, from);
  for (let i = 0; i < chunk.rows.length; i++) {
    const rowKey = chunk.keys[i] as Uint8Array;
    const entry = layout.entry(chunk.rows[i] as Row, rowKey);
    checkIndexEntry(layout, entry, rowKey);
    if (entry.value.length > 0) await enterUnique(transaction, index, entry);
    else transaction.put(entry.key, entry.value);
  }
  return chunk;
}

/** The first row of a tuple has the entry, every other one a claim on it. */
async function enterUnique(
  transaction: Transaction,
  index: Index,
  entry: { readonly key: Uint8Array; readonly value: Uint8Array },
): Promise<void> {
  const found = transaction.get(entry.key);
  const held = found instanceof Promise ? await readValue(transaction, entry.key) : found;
  if (held === undefined) transaction.put(entry.key, entry.value);
  else if (!equalBytes(held, entry.value)) {
    transaction.put(claimKey(index.physicalId, entry), nothing);
  }
}
