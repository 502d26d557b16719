/** Chain heads in key order: chunks of at most 256, and an unsorted tail that is merged into them when the order is read. */

import type { Entries } from './entries.ts';
import { sortChainHeads } from './sort-chain-heads.ts';

const chunkChainHeads = 256;
/** Target number of chain heads in a chunk after a split in the middle. */
const splitChainHeads = 160;
const tailChainHeadsMax = 4096;

export class KeyOrder {
  /** Changes whenever positions change: a cursor that stores a position then has to find its chain head again. */
  generation = 0;
  private readonly entries: Entries;
  private readonly chunks: Uint32Array[] = [];
  private readonly counts: number[] = [];
  private readonly tail = new Uint32Array(tailChainHeadsMax);
  private readonly scratch = new Uint32Array(tailChainHeadsMax);
  private tailCount = 0;
  /** Keeps the compiler from removing the loop of `touch`. */
  touched = 0;
  private isTailSorted = true;

  constructor(entries: Entries) {
    this.entries = entries;
  }

  get bytes(): number {
    return (this.chunks.length * chunkChainHeads + 2 * tailChainHeadsMax) * 4;
  }

  get chunkCount(): number {
    return this.chunks.length;
  }

  countOf(chunk: number): number {
    return this.counts[chunk] as number;
  }

  chainHeadAt(chunk: number, slot: number): number {
    return (this.chunks[chunk] as Uint32Array)[slot] as number;
  }

  /**
   * Reads a word of each of the next chain heads of a chunk, which are anywhere in memory. In one tight loop the CPU waits for all of them
   * concurrently; in a scan it would wait for each in turn. This doubles the speed of scans over keys that were inserted unsorted.
   */
  touch(chunk: number, from: number, count: number): void {
    if (chunk >= this.chunks.length) return;
    const chainHeads = this.chunks[chunk] as Uint32Array;
    const to = Math.min(from + count, this.countOf(chunk));
    let sum = 0;
    for (let i = from; i < to; i++) sum = (sum + this.entries.newest(chainHeads[i] as number)) | 0;
    this.touched = sum;
  }

  add(chainHead: number): void {
    const count = this.tailCount;
    if (count > 0 && this.isTailSorted) {
      this.isTailSorted = this.entries.compare(this.tail[count - 1] as number, chainHead) < 0;
    }
    this.tail[count] = chainHead;
    this.tailCount = count + 1;
    if (this.tailCount === tailChainHeadsMax) this.settle();
  }

  /** Merges the tail into the chunks. */
  settle(): void {
    const count = this.tailCount;
    if (count === 0) return;
    if (!this.isTailSorted) sortChainHeads(this.tail, count, this.scratch, this.entries);
    let done = 0;
    let chunk = 0;
    while (done < count) {
      chunk = this.chunkBelow(this.tail[done] as number, chunk);
      const to = this.tailBelow(done, chunk);
      chunk = this.fold(chunk, done, to);
      done = to;
    }
    this.tailCount = 0;
    this.isTailSorted = true;
    this.generation++;
  }

  /**
   * Returns the last chunk, from `from` on, whose first key is at or below `key`; at least `from`. The first key at or above `key` is in
   * this chunk, or is the first of the next one.
   */
  chunkOf(key: Uint8Array, from: number): number {
    let low = from;
    let high = this.chunks.length - 1;
    if (low >= high || this.entries.compareToKey(this.chainHeadAt(low + 1, 0), key) > 0) return low;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.entries.compareToKey(this.chainHeadAt(middle, 0), key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the slot in `chunk` of the first key at or above `key`; the chunk's count if all keys are below. */
  slotOf(chunk: number, key: Uint8Array): number {
    let low = 0;
    let high = chunk < this.chunks.length ? this.countOf(chunk) : 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.entries.compareToKey(this.chainHeadAt(chunk, middle), key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the number of keys below `key`, not counting those of the tail. */
  rankOf(key: Uint8Array): number {
    if (this.chunks.length === 0) return 0;
    const chunk = this.chunkOf(key, 0);
    let rank = this.slotOf(chunk, key);
    for (let i = 0; i < chunk; i++) rank += this.countOf(i);
    return rank;
  }

  /** Returns the last chunk, from `from` on, whose first key is at or below that of `chainHead`; at least `from`. */
  private chunkBelow(chainHead: number, from: number): number {
    let low = from;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.entries.compare(this.chainHeadAt(middle, 0), chainHead) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the end of the part of the tail, from `from` on, that sorts before the chunk after `chunk`. */
  private tailBelow(from: number, chunk: number): number {
    if (chunk + 1 >= this.chunks.length) return this.tailCount;
    const bound = this.chainHeadAt(chunk + 1, 0);
    let to = from + 1;
    while (to < this.tailCount && this.entries.compare(this.tail[to] as number, bound) < 0) to++;
    return to;
  }

  /** Merges tail[from, to) into `chunk`, which is split if necessary. Returns the last chunk of the result. */
  private fold(chunk: number, from: number, to: number): number {
    if (this.chunks.length === 0) return this.fillChunks(0, this.tail.subarray(from, to));
    const count = this.countOf(chunk);
    const last = this.chainHeadAt(chunk, count - 1);
    if (this.entries.compare(last, this.tail[from] as number) < 0) {
      return this.appendTo(chunk, from, to);
    }
    if (count + to - from <= chunkChainHeads) {
      this.mergeInto(this.chunks[chunk] as Uint32Array, count, from, to);
      this.counts[chunk] = count + to - from;
      return chunk;
    }
    const merged = new Uint32Array(count + to - from);
    merged.set((this.chunks[chunk] as Uint32Array).subarray(0, count));
    this.mergeInto(merged, count, from, to);
    return this.splitInto(chunk, merged);
  }

  /** Appends keys above the whole chunk: fills it, then creates full chunks. Keys inserted in order move nothing. */
  private appendTo(chunk: number, from: number, to: number): number {
    const count = this.countOf(chunk);
    const room = Math.min(chunkChainHeads - count, to - from);
    (this.chunks[chunk] as Uint32Array).set(this.tail.subarray(from, from + room), count);
    this.counts[chunk] = count + room;
    if (from + room === to) return chunk;
    return this.fillChunks(chunk + 1, this.tail.subarray(from + room, to));
  }

  /** Inserts full chunks of `chainHeads` before `chunk` and returns the last of them. */
  private fillChunks(chunk: number, chainHeads: Uint32Array): number {
    let at = chunk;
    for (let from = 0; from < chainHeads.length; from += chunkChainHeads) {
      this.insertChunk(at++, chainHeads.subarray(from, from + chunkChainHeads));
    }
    return at - 1;
  }

  private splitInto(chunk: number, chainHeads: Uint32Array): number {
    const parts = Math.ceil(chainHeads.length / splitChainHeads);
    this.chunks.splice(chunk, 1);
    this.counts.splice(chunk, 1);
    for (let part = 0; part < parts; part++) {
      const from = Math.floor((chainHeads.length * part) / parts);
      const to = Math.floor((chainHeads.length * (part + 1)) / parts);
      this.insertChunk(chunk + part, chainHeads.subarray(from, to));
    }
    return chunk + parts - 1;
  }

  private insertChunk(at: number, chainHeads: Uint32Array): void {
    const chunk = new Uint32Array(chunkChainHeads);
    chunk.set(chainHeads);
    this.chunks.splice(at, 0, chunk);
    this.counts.splice(at, 0, chainHeads.length);
  }

  /** Merges tail[from, to) into `target[0, count)`, starting from the end. */
  private mergeInto(target: Uint32Array, count: number, from: number, to: number): void {
    let end = count;
    for (let i = to - 1; i >= from; i--) {
      const chainHead = this.tail[i] as number;
      const slot = this.slotBelow(target, end, chainHead);
      const shift = i - from + 1;
      target.copyWithin(slot + shift, slot, end);
      target[slot + shift - 1] = chainHead;
      end = slot;
    }
  }

  /** Returns the number of elements of `chainHeads[0, count)` below `chainHead`. */
  private slotBelow(chainHeads: Uint32Array, count: number, chainHead: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.entries.compare(chainHeads[middle] as number, chainHead) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
