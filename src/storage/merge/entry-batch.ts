/** Entries of a source in the memory of one thread, copied a stretch at a time for another one that writes them. */

import { invariant } from '#base';
import type { InternalCursor } from '../cursor/internal-cursor.ts';

/** Plain data. Its buffers are the receiver's, who may give them back. */
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

/** Over a cursor that never waits. */
export class EntryBatches {
  private readonly cursor: InternalCursor;
  /** The cursor stands on an entry that had no room in the batch before. */
  private isHeld = false;

  constructor(cursor: InternalCursor) {
    this.cursor = cursor;
  }

  /** The next entries, in the memory of a batch that nobody reads any more when there is one. */
  next(spent: EntryBatch | undefined): EntryBatch {
    const { cursor } = this;
    let bytes = spent?.bytes ?? new Uint8Array(batchBytes);
    const words = spent?.words ?? new Uint32Array(batchEntries * wordsOfEntry);
    let count = 0;
    let end = 0;
    for (; count < batchEntries; count++) {
      if (!this.move()) return { bytes, words, count, isLast: true };
      const keyBytes = cursor.keyTo - cursor.keyFrom;
      const valueBytes = cursor.isDelete ? 0 : cursor.valueTo - cursor.valueFrom;
      this.isHeld = count > 0 && end + keyBytes + valueBytes > bytes.length;
      if (this.isHeld) break;
      if (keyBytes + valueBytes > bytes.length) bytes = new Uint8Array(keyBytes + valueBytes);
      const at = count * wordsOfEntry;
      copy(bytes, end, cursor.key, cursor.keyFrom, cursor.keyTo);
      end += keyBytes;
      words[at] = end;
      copy(bytes, end, cursor.value, cursor.valueFrom, cursor.valueFrom + valueBytes);
      end += valueBytes;
      words[at + 1] = end;
      words[at + 2] = cursor.sequence;
      words[at + 3] = (cursor.sequence / high) | (cursor.isDelete ? deleteFlag : 0);
    }
    return { bytes, words, count, isLast: false };
  }

  close(): void {
    this.cursor.close();
  }

  /** False at the end. */
  private move(): boolean {
    if (this.isHeld) return true;
    const moved = this.cursor.next();
    invariant(typeof moved === 'boolean', 'entries in memory are there at once');
    return moved;
  }
}

/** What is transferred with it. */
export function buffersOf({ bytes, words }: EntryBatch): ArrayBuffer[] {
  return [bytes.buffer, words.buffer];
}

function copy(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): void {
  if (to - from > loopedBytes) target.set(source.subarray(from, to), at);
  else for (let i = from, j = at; i < to; i++, j++) target[j] = source[i] as number;
}
