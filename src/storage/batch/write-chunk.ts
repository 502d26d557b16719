/** Neighbouring writes of a batch as numbers: with an object for each of a million writes, collections stop everything for tens of milliseconds. */

import { compareRanges } from '#base';
import type { Write } from './write.ts';

/** Of each write: the number of its piece × 2 + deletion, where its key begins and ends, where its value ends. */
export const wordsOfWrite = 4;
/** Room for so many, then for four times as many. */
const writesAtFirst = 8;

export class WriteChunk {
  /** Writes in it, in key order. */
  count = 0;
  private readonly pieces: readonly Uint8Array[];
  private words: Uint32Array;

  /** `pieces`: the memory of the batch. */
  constructor(pieces: readonly Uint8Array[], writes = writesAtFirst) {
    this.pieces = pieces;
    this.words = new Uint32Array(writes * wordsOfWrite);
  }

  /** The order of the key in `slot` relative to `key[from, to)`. */
  compare(slot: number, key: Uint8Array, from: number, to: number): number {
    const { words } = this;
    const at = slot * wordsOfWrite;
    const bytes = this.pieces[(words[at] as number) >>> 1] as Uint8Array;
    return compareRanges(bytes, words[at + 1] as number, words[at + 2] as number, key, from, to);
  }

  /** The first slot whose key is not below the given one. */
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
    target.isDelete = (head & 1) === 1;
  }

  /** The write in `slot` becomes another one of the same key. */
  set(slot: number, head: number, keyFrom: number, keyTo: number, valueTo: number): void {
    const { words } = this;
    const at = slot * wordsOfWrite;
    words[at] = head;
    words[at + 1] = keyFrom;
    words[at + 2] = keyTo;
    words[at + 3] = valueTo;
  }

  /** A write more, before that in `slot`. */
  insert(slot: number, head: number, keyFrom: number, keyTo: number, valueTo: number): void {
    const end = this.count * wordsOfWrite;
    if (end === this.words.length) this.grow();
    if (slot < this.count) {
      this.words.copyWithin((slot + 1) * wordsOfWrite, slot * wordsOfWrite, end);
    }
    this.count++;
    this.set(slot, head, keyFrom, keyTo, valueTo);
  }

  /** Without the write in `slot`. */
  remove(slot: number): void {
    const end = this.count * wordsOfWrite;
    this.words.copyWithin(slot * wordsOfWrite, (slot + 1) * wordsOfWrite, end);
    this.count--;
  }

  /** The words of the write in `slot`, valid until the chunk changes. */
  wordsOf(slot: number): Uint32Array {
    return this.words.subarray(slot * wordsOfWrite, (slot + 1) * wordsOfWrite);
  }

  /** Gives its upper half away. */
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

/** Of a write in the piece with this number. */
export function headOf(piece: number, isDelete: boolean): number {
  return piece * 2 + (isDelete ? 1 : 0);
}
