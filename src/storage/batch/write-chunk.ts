/**
 * Adjacent writes of a batch, stored as numbers: one object per write would make garbage collections of a million writes pause for tens of
 * milliseconds.
 */

import { compareRanges } from '#base';
import type { Write } from './write.ts';

/** Words of a write: its piece number × 2 + tombstone bit, start and end of its key, and end of its value. */
export const wordsOfWrite = 4;
/** Initial capacity in writes. The capacity grows by a factor of 4. */
const writesAtFirst = 8;

export class WriteChunk {
  /** Number of writes, which are stored in key order. */
  count = 0;
  private readonly pieces: readonly Uint8Array[];
  private words: Uint32Array;

  /** `pieces` is the memory of the batch. */
  constructor(pieces: readonly Uint8Array[], writes = writesAtFirst) {
    this.pieces = pieces;
    this.words = new Uint32Array(writes * wordsOfWrite);
  }

  /** Returns a copy over `pieces`, which begin with the pieces of this chunk. */
  clone(pieces: readonly Uint8Array[]): WriteChunk {
    const copy = new WriteChunk(pieces, 0);
    copy.count = this.count;
    copy.words = this.words.slice();
    return copy;
  }

  /** Compares the key in `slot` with `key[from, to)`. */
  compare(slot: number, key: Uint8Array, from: number, to: number): number {
    const { words } = this;
    const at = slot * wordsOfWrite;
    const bytes = this.pieces[(words[at] as number) >>> 1] as Uint8Array;
    return compareRanges(bytes, words[at + 1] as number, words[at + 2] as number, key, from, to);
  }

  /** Returns the first slot whose key is not below the given one. */
  slotOf(key: Uint8Array, from: number, to: number): number {
    if (this.compare(this.count - 1, key, from, to) < 0) return this.count;
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, key, from, to) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  show(slot: number, target: Write): void {
    const { words } = this;
    const at = slot * wordsOfWrite;
    const head = words[at] as number;
    target.bytes = this.pieces[head >>> 1] as Uint8Array;
    target.keyFrom = words[at + 1] as number;
    target.keyTo = words[at + 2] as number;
    target.valueTo = words[at + 3] as number;
    target.isTombstone = (head & 1) === 1;
  }

  /** Replaces the write in `slot` by another write of the same key. */
  set(slot: number, head: number, keyFrom: number, keyTo: number, valueTo: number): void {
    const { words } = this;
    const at = slot * wordsOfWrite;
    words[at] = head;
    words[at + 1] = keyFrom;
    words[at + 2] = keyTo;
    words[at + 3] = valueTo;
  }

  /** Inserts a write before the one in `slot`. */
  insert(slot: number, head: number, keyFrom: number, keyTo: number, valueTo: number): void {
    const end = this.count * wordsOfWrite;
    if (end === this.words.length) this.grow();
    if (slot < this.count) {
      this.words.copyWithin((slot + 1) * wordsOfWrite, slot * wordsOfWrite, end);
    }
    this.count++;
    this.set(slot, head, keyFrom, keyTo, valueTo);
  }

  /** Removes the write in `slot`. */
  remove(slot: number): void {
    const end = this.count * wordsOfWrite;
    this.words.copyWithin(slot * wordsOfWrite, (slot + 1) * wordsOfWrite, end);
    this.count--;
  }

  /** Returns the words of the write in `slot`, valid until the chunk changes. */
  wordsOf(slot: number): Uint32Array {
    return this.words.subarray(slot * wordsOfWrite, (slot + 1) * wordsOfWrite);
  }

  /** Moves the upper half of the writes into a new chunk and returns it. */
  split(): WriteChunk {
    const kept = this.count >>> 1;
    const upper = new WriteChunk(this.pieces, this.words.length / wordsOfWrite);
    upper.words.set(this.words.subarray(kept * wordsOfWrite, this.count * wordsOfWrite));
    upper.count = this.count - kept;
    this.count = kept;
    return upper;
  }

  private grow(): void {
    const grown = new Uint32Array(this.words.length * 4);
    grown.set(this.words);
    this.words = grown;
  }
}

/** Returns the first word of a write whose bytes are in this piece. */
export function headOf(piece: number, isTombstone: boolean): number {
  return piece * 2 + (isTombstone ? 1 : 0);
}
