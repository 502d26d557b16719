/** Entries of a source in the memory of one thread, copied a stretch at a time for another one that writes them. */

import { ByteWriter, invariant } from '#base';
import type { InternalCursor } from '../cursor/internal-cursor.ts';

/** Plain data. Its buffers are the receiver's: they may be transferred. */
export interface EntryBatch {
  /** Keys and values, one behind the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of each entry: where its key and its value end, its sequence, low and high, with the deletion flag on top. */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly count: number;
  /** No entry follows. */
  readonly isLast: boolean;
}

export const wordsOfEntry = 4;
export const high = 0x1_0000_0000;
export const deleteFlag = 0x8000_0000;
/** Copied in less than a millisecond. */
const batchBytes = 256 << 10;
const batchEntries = 2048;
/** Up to here a loop beats the view and the call behind `set`. */
const loopedBytes = 96;

/** The next entries of a cursor that never waits. */
export function nextBatch(cursor: InternalCursor): EntryBatch {
  const writer = new ByteWriter(batchBytes);
  const words = new Uint32Array(batchEntries * wordsOfEntry);
  let count = 0;
  let isLast = false;
  while (count < batchEntries && writer.length < batchBytes) {
    const moved = cursor.next();
    invariant(typeof moved === 'boolean', 'entries in memory are there at once');
    if (!moved) {
      isLast = true;
      break;
    }
    const at = count++ * wordsOfEntry;
    copy(writer, cursor.key, cursor.keyFrom, cursor.keyTo);
    words[at] = writer.length;
    if (!cursor.isDelete) copy(writer, cursor.value, cursor.valueFrom, cursor.valueTo);
    words[at + 1] = writer.length;
    words[at + 2] = cursor.sequence;
    words[at + 3] = (cursor.sequence / high) | (cursor.isDelete ? deleteFlag : 0);
  }
  return { bytes: writer.bytes as Uint8Array<ArrayBuffer>, words, count, isLast };
}

function copy(writer: ByteWriter, source: Uint8Array, from: number, to: number): void {
  const at = writer.reserve(to - from);
  const { bytes } = writer;
  if (to - from > loopedBytes) bytes.set(source.subarray(from, to), at);
  else for (let i = from, j = at; i < to; i++, j++) bytes[j] = source[i] as number;
}
