/**
 * A commit as a log record (docs/storage-format.md, "Commit records"): all writes of one transaction, or nothing.
 *
 *     u8 format | varint writes | per write: varint key length × 2 + deletion, varint value length (none for a deletion), key, value
 *
 * Format 2 goes on with the ranges that the commit drops; format 1 drops none.
 */

import { ByteReader, ByteWriter } from '#base';
import { readKeyRange, writeKeyRange } from '../key-range-bytes.ts';
import { type EntrySpan, emptySpan } from '../memtable/entry-span.ts';
import { StorageError } from '../object/trouble.ts';
import type { KeyRange } from '../store.ts';
import type { Write, WriteBatch } from './write-batch.ts';

const format = 1;
const formatWithDropped = 2;
const recordHeadBytes = 32;
/** Two varints of lengths. */
const writeHeadBytes = 12;

export function encodeCommit(batch: WriteBatch, writer: ByteWriter): void {
  const { dropped } = batch;
  writer.u8(dropped.length > 0 ? formatWithDropped : format);
  writer.varint(batch.count);
  for (const chunk of batch.chunks) {
    for (let i = 0; i < chunk.length; i++) encodeWrite(chunk[i] as Write, writer);
  }
  if (dropped.length === 0) return;
  writer.varint(dropped.length);
  for (const range of dropped) writeKeyRange(range, writer);
}

function encodeWrite(write: Write, writer: ByteWriter): void {
  writer.varint((write.keyTo - write.keyFrom) * 2 + (write.isDelete ? 1 : 0));
  if (!write.isDelete) writer.varint(write.valueTo - write.keyTo);
  writer.append(write.bytes, write.keyFrom, write.valueTo);
}

/** At most so many bytes. */
export function recordBytesMax(batch: WriteBatch): number {
  let bytes = recordHeadBytes + batch.bytes + batch.count * writeHeadBytes;
  for (const { from, to } of batch.dropped) {
    bytes += writeHeadBytes + from.length + (to?.length ?? 0);
  }
  return bytes;
}

/** Calls `apply` for each write in key order, with an entry in `payload` that is valid during the call only. The ranges that were dropped. */
export function decodeCommit(
  payload: Uint8Array,
  apply: (entry: EntrySpan) => void,
): readonly KeyRange[] {
  const reader = new ByteReader(payload);
  const version = reader.u8();
  if (version !== format && version !== formatWithDropped)
    throw new StorageError({ kind: 'format', object: 'log record', version });
  const entry = emptySpan();
  entry.key = payload;
  entry.value = payload;
  for (let left = reader.varint(); left > 0; left--) {
    const head = reader.varint();
    entry.isDelete = head % 2 === 1;
    const valueLength = entry.isDelete ? 0 : reader.varint();
    entry.keyFrom = reader.skip((head - (entry.isDelete ? 1 : 0)) / 2);
    entry.keyTo = reader.at;
    entry.valueFrom = reader.skip(valueLength);
    entry.valueTo = reader.at;
    apply(entry);
  }
  const dropped: KeyRange[] = [];
  if (version === format) return dropped;
  for (let left = reader.varint(); left > 0; left--) dropped.push(readKeyRange(reader));
  return dropped;
}

/** The memory that records are formed in, given up after an unusually large one. */
export class RecordWriter {
  private writer = new ByteWriter(4096);

  /** Valid until the next call. */
  encode(batch: WriteBatch): Uint8Array {
    if (this.writer.bytes.length > 1 << 20) this.writer = new ByteWriter(4096);
    this.writer.clear();
    encodeCommit(batch, this.writer);
    return this.writer.peek();
  }
}
