/**
 * Encodes a commit as a log record (docs/storage-format.md, "Commit records"). A record contains all writes of one transaction.
 *
 *     u8 format | varint writes | per write: varint key length × 2 + deletion, varint value length (none for a deletion), key, value
 *
 * In format 2, the ranges that the commit drops follow. Format 1 drops none.
 */

import { ByteReader, ByteWriter, crc32, type Steps } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { type EntrySpan, emptySpan } from '../key/entry-span.ts';
import { readKeyRange, writeKeyRange } from '../key/key-range-bytes.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { CommitYield } from './commit-yield.ts';
import type { Write } from './write.ts';
import { eachOfFew, eachWrite, type WriteBatch } from './write-batch.ts';

const format = 1;
const formatWithDropped = 2;
const recordHeadBytes = 32;
/** Maximum size of the two length varints of a write. */
const writeHeadBytes = 12;

function writeHead({ dropped, count }: WriteBatch, writer: ByteWriter): void {
  writer.u8(dropped.length > 0 ? formatWithDropped : format);
  writer.varint(count);
}

function writeTail({ dropped }: WriteBatch, writer: ByteWriter): void {
  if (dropped.length === 0) return;
  writer.varint(dropped.length);
  for (const range of dropped) writeKeyRange(range, writer);
}

function encodeWrite(write: Write, writer: ByteWriter): void {
  writer.varint((write.keyTo - write.keyFrom) * 2 + (write.isTombstone ? 1 : 0));
  if (!write.isTombstone) writer.varint(write.valueTo - write.keyTo);
  writer.append(write.bytes, write.keyFrom, write.valueTo);
}

/** Returns an upper bound of the size of the record in bytes. */
export function recordBytesMax(batch: WriteBatch): number {
  let bytes = recordHeadBytes + batch.bytes + batch.count * writeHeadBytes;
  for (const { from, to } of batch.dropped) {
    bytes += writeHeadBytes + from.length + (to?.length ?? 0);
  }
  return bytes;
}

/**
 * Calls `apply` for each write in key order and returns the dropped ranges. The entry refers to `payload` and is valid only during the
 * call.
 */
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
    entry.isTombstone = head % 2 === 1;
    const valueLength = entry.isTombstone ? 0 : reader.varint();
    entry.keyFrom = reader.skip((head - (entry.isTombstone ? 1 : 0)) / 2);
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

/** A record above this size continues in another piece, because growing a buffer copies all of it. */
const pieceBytesMax = 1 << 20;

/** Encodes records into a reusable buffer, which is replaced after an unusually large record. */
export class RecordWriter {
  /** Checksum of the last encoded record. */
  crc = 0;
  private writer = new ByteWriter(4096);

  /** Returns the record of a small batch, valid until the next call. */
  encodeSmall(batch: WriteBatch): Uint8Array {
    const writer = this.begin(batch);
    eachOfFew(batch, (write) => encodeWrite(write, writer));
    writeTail(batch, writer);
    const record = writer.peek();
    this.crc = crc32(record);
    return record;
  }

  /**
   * Returns the pieces of the record in order. If there is only one, it is valid until the next call; if there are several, the caller owns
   * them.
   */
  *encode(batch: WriteBatch, stretch: CommitYield): Steps<readonly Uint8Array[]> {
    let writer = this.begin(batch);
    this.crc = 0;
    const pieces: Uint8Array[] = [];
    yield* eachWrite(batch, stretch, (write) => {
      const bytes = writeHeadBytes + write.valueTo - write.keyFrom;
      if (writer.length > 0 && writer.length + bytes > pieceBytesMax) {
        pieces.push(this.summed(writer));
        writer = new ByteWriter(Math.max(pieceBytesMax, bytes));
      }
      encodeWrite(write, writer);
    });
    writeTail(batch, writer);
    pieces.push(this.summed(writer));
    if (pieces.length > 1) this.writer = new ByteWriter(4096);
    return pieces;
  }

  private summed(writer: ByteWriter): Uint8Array {
    const piece = writer.peek();
    this.crc = crc32(piece, this.crc);
    return piece;
  }

  private begin(batch: WriteBatch): ByteWriter {
    if (this.writer.bytes.length > pieceBytesMax) this.writer = new ByteWriter(4096);
    this.writer.clear();
    writeHead(batch, this.writer);
    return this.writer;
  }
}
