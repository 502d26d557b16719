/**
 * Chain heads of adjacent keys, in key order. Once keys are inserted between others, the chunk also contains four bytes of each key. They decide
 * nearly every comparison, without a read of the keys, which are anywhere in memory.
 */

import type { Entries } from './entries.ts';

const chunkChainHeads = 256;
/** Target number of chain heads in a chunk after a split in the middle. */
const splitChainHeads = 160;
const bytesOfWord = 4;
const noDigits = new Uint32Array(0);
const noChunks: readonly KeyChunk[] = [];

interface Part {
  readonly added: Uint32Array;
  readonly from: number;
  readonly to: number;
}

export class KeyChunk {
  count = 0;
  readonly chainHeads = new Uint32Array(chunkChainHeads);
  /** The bytes of each key after `prefixLength`, as a number; empty if they are not known. */
  private digits = noDigits;
  /** Number of equal bytes with which all keys begin. */
  private prefixLength = 0;

  get bytes(): number {
    return (chunkChainHeads + this.digits.length) * bytesOfWord;
  }

  /** Returns whether `keys` keys fit into the chunk and its digits are known. */
  hasDigitsFor(keys: number): boolean {
    return this.digits.length > 0 && keys <= this.room;
  }

  get room(): number {
    return chunkChainHeads - this.count;
  }

  /** Appends added[from, to), whose keys are above all others. There must be room for them, and digits are no longer known. */
  append(added: Uint32Array, from: number, to: number): void {
    const { chainHeads, count } = this;
    for (let i = from; i < to; i++) chainHeads[count + i - from] = added[i] as number;
    this.count = count + to - from;
    this.digits = noDigits;
  }

  /**
   * Inserts the chain heads added[from, to), which are in key order. If they do not fit, returns new chunks with the keys above those that this
   * chunk keeps.
   */
  merge(added: Uint32Array, from: number, to: number, entries: Entries): readonly KeyChunk[] {
    this.readDigits(added, from, to, entries);
    const count = this.count + to - from;
    if (count <= chunkChainHeads) {
      this.mergeInto(this.chainHeads, this.digits, { added, from, to }, entries);
      this.count = count;
      return noChunks;
    }
    const chainHeads = new Uint32Array(count);
    chainHeads.set(this.chainHeads.subarray(0, this.count));
    const digits = new Uint32Array(count);
    digits.set(this.digits.subarray(0, this.count));
    this.mergeInto(chainHeads, digits, { added, from, to }, entries);
    return this.split(chainHeads, digits);
  }

  /** Makes the digits valid for the keys of the chunk and those of added[from, to). */
  private readDigits(added: Uint32Array, from: number, to: number, entries: Entries): void {
    const { chainHeads, count } = this;
    const first = chainHeads[0] as number;
    // All keys between two keys begin with the bytes that these have in common.
    let shared = entries.sharedLength(first, added[from] as number);
    if (to - from > 1) {
      shared = Math.min(shared, entries.sharedLength(first, added[to - 1] as number));
    }
    if (this.digits.length > 0 && shared >= this.prefixLength) return;
    const last = chainHeads[count - 1] as number;
    this.prefixLength = Math.min(shared, entries.sharedLength(first, last));
    if (this.digits.length === 0) this.digits = new Uint32Array(chunkChainHeads);
    for (let i = 0; i < count; i++) {
      this.digits[i] = entries.digits(chainHeads[i] as number, this.prefixLength);
    }
  }

  /** Merges added[from, to) into the arrays, which contain `count` elements, starting from the end. */
  private mergeInto(
    chainHeads: Uint32Array,
    digits: Uint32Array,
    { added, from, to }: Part,
    entries: Entries,
  ): void {
    let end = this.count;
    for (let i = to - 1; i >= from; i--) {
      const chainHead = added[i] as number;
      const digit = entries.digits(chainHead, this.prefixLength);
      const distance = i - from + 1;
      while (end > 0) {
        const other = digits[end - 1] as number;
        const isBelow =
          other < digit ||
          (other === digit && entries.compare(chainHeads[end - 1] as number, chainHead) < 0);
        if (isBelow) break;
        end--;
        chainHeads[end + distance] = chainHeads[end] as number;
        digits[end + distance] = other;
      }
      chainHeads[end + distance - 1] = chainHead;
      digits[end + distance - 1] = digit;
    }
  }

  /** Distributes the elements among this chunk and new ones, which are returned. */
  private split(chainHeads: Uint32Array, digits: Uint32Array): KeyChunk[] {
    const parts = Math.ceil(chainHeads.length / splitChainHeads);
    const { prefixLength } = this;
    const chunks: KeyChunk[] = [];
    for (let part = 0; part < parts; part++) {
      const from = Math.floor((chainHeads.length * part) / parts);
      const to = Math.floor((chainHeads.length * (part + 1)) / parts);
      const chunk = part === 0 ? this : new KeyChunk();
      chunk.chainHeads.set(chainHeads.subarray(from, to));
      chunk.count = to - from;
      chunk.keepDigits(digits.subarray(from, to), prefixLength);
      if (part > 0) chunks.push(chunk);
    }
    return chunks;
  }

  /** Keeps the digits unless the keys are so close now that later bytes have to decide. */
  private keepDigits(digits: Uint32Array, prefixLength: number): void {
    this.digits = noDigits;
    const first = digits[0] as number;
    const last = digits[digits.length - 1] as number;
    if (first >>> 16 === last >>> 16) return;
    this.digits = new Uint32Array(chunkChainHeads);
    this.digits.set(digits);
    this.prefixLength = prefixLength;
  }
}
