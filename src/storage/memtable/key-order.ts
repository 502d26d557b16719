/**
 * Chain heads in key order: chunks of at most 256, and a tail, which is merged into them when it is full or when a reader needs it. The more keys
 * the tail has, the more of them go into one chunk at a time. The tail consists of ascending runs, since a commit inserts its keys in order.
 */

import type { KeyRange } from '../contract/store.ts';
import type { KeyNeighborhood } from '../cursor/source.ts';
import type { Entries } from './entries.ts';
import { KeyChunk } from './key-chunk.ts';
import { mergeChainHeads, sortChainHeads } from './sort-chain-heads.ts';

const tailChainHeadsAtFirst = 64;
const tailChainHeadsMax = 8192;
/** Maximum of a tail of few runs: merging them takes less time than sorting keys in any order, and more of them go into one chunk. */
const tailOfFewRunsMax = 24_576;
/** Maximum number of runs that a reader searches for its range. A shorter tail is merged instead, which takes less time. */
const searchedRunsMax = 16;
const searchedChainHeadsMin = 256;

export class KeyOrder {
  /** Changes whenever positions change: a cursor that stores a position then has to find its chain head again. */
  generation = 0;
  private readonly entries: Entries;
  private readonly chunks: KeyChunk[] = [];
  private chunkBytes = 0;
  private tail = new Uint32Array(tailChainHeadsAtFirst);
  private tailCount = 0;
  /** Start of each run of the tail; incomplete if there are more than a reader searches. */
  private readonly runs: number[] = [];
  /** Keeps the compiler from removing the loop of `touch`. */
  touched = 0;

  constructor(entries: Entries) {
    this.entries = entries;
  }

  get bytes(): number {
    return this.chunkBytes + this.tail.byteLength;
  }

  get chunkCount(): number {
    return this.chunks.length;
  }

  countOf(chunk: number): number {
    return (this.chunks[chunk] as KeyChunk).count;
  }

  chainHeadAt(chunk: number, slot: number): number {
    return (this.chunks[chunk] as KeyChunk).chainHeads[slot] as number;
  }

  /**
   * Reads a word of each of the next chain heads of a chunk, which are anywhere in memory. In one tight loop the CPU waits for all of them
   * concurrently; in a scan it would wait for each in turn. This doubles the speed of scans over keys that were inserted unsorted.
   */
  touch(chunk: number, from: number, count: number): void {
    if (chunk >= this.chunks.length) return;
    const { chainHeads } = this.chunks[chunk] as KeyChunk;
    const to = Math.min(from + count, this.countOf(chunk));
    let sum = 0;
    for (let i = from; i < to; i++) sum = (sum + this.entries.newest(chainHeads[i] as number)) | 0;
    this.touched = sum;
  }

  add(chainHead: number): void {
    const count = this.tailCount;
    if (count === this.tail.length) this.growTail();
    const { tail, runs } = this;
    tail[count] = chainHead;
    this.tailCount = count + 1;
    if (runs.length <= searchedRunsMax) {
      const isAscending =
        count > 0 && this.entries.compare(tail[count - 1] as number, chainHead) < 0;
      if (!isAscending) runs.push(count);
    }
    if (this.tailCount >= tailChainHeadsMax && this.isTailFull) this.settle();
  }

  private get isTailFull(): boolean {
    return this.runs.length > searchedRunsMax || this.tailCount >= tailOfFewRunsMax;
  }

  /** Merges the tail into the chunks. */
  settle(): void {
    const count = this.tailCount;
    if (count === 0) return;
    if (this.runs.length > 1) this.sortTail(count);
    let done = 0;
    let chunk = 0;
    while (done < count) {
      chunk = this.chunkBelow(this.tail[done] as number, chunk);
      const to = this.tailBelow(done, chunk);
      chunk = this.fold(chunk, done, to);
      done = to;
    }
    this.tailCount = 0;
    this.runs.length = 0;
    this.generation++;
  }

  /**
   * Merges the tail into the chunks if it has a key of the range. A key between the range and the next one in the chunks counts as well: that
   * one would not mark the end of the range any more once the tail is merged.
   */
  settleFor(range: KeyRange): void {
    if (this.tailCount > 0 && !this.isBeside(range)) this.settle();
  }

  private isBeside({ from, to }: KeyRange): boolean {
    const { runs, tail, entries } = this;
    if (this.tailCount < searchedChainHeadsMin || runs.length > searchedRunsMax) return false;
    const next = to === undefined ? 0 : this.chainHeadFrom(to);
    for (let run = 0; run < runs.length; run++) {
      const end = run + 1 < runs.length ? (runs[run + 1] as number) : this.tailCount;
      const at = this.firstFrom(tail, runs[run] as number, end, from);
      if (at === end) continue;
      if (next === 0 || entries.compare(tail[at] as number, next) < 0) return false;
    }
    return true;
  }

  /** Narrows `around` to the gap that contains `key`. Returns false if the key exists, or if the tail might contain it. */
  gapAround(key: Uint8Array, around: KeyNeighborhood): boolean {
    if (this.tailCount > 0) return false;
    const { entries } = this;
    const chunk = this.chunkOf(key, 0);
    const slot = this.slotOf(chunk, key);
    const after = this.chainHeadFrom(key);
    if (after !== 0 && entries.compareToKey(after, key) === 0) return false;
    if (slot > 0) around.startAfter(entries.keyOf(this.chainHeadAt(chunk, slot - 1)));
    if (after !== 0) around.endBefore(entries.keyOf(after));
    return true;
  }

  /** Returns the first chain head of the chunks whose key is at or above `key`; 0 if there is none. */
  private chainHeadFrom(key: Uint8Array): number {
    let chunk = this.chunkOf(key, 0);
    let slot = this.slotOf(chunk, key);
    if (chunk < this.chunks.length && slot === this.countOf(chunk)) {
      chunk++;
      slot = 0;
    }
    return chunk < this.chunks.length ? this.chainHeadAt(chunk, slot) : 0;
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
    const found = this.chunks[chunk];
    return found === undefined ? 0 : this.firstFrom(found.chainHeads, 0, found.count, key);
  }

  /** Returns the number of keys below `key`, not counting those of the tail. */
  rankOf(key: Uint8Array): number {
    if (this.chunks.length === 0) return 0;
    const chunk = this.chunkOf(key, 0);
    let rank = this.slotOf(chunk, key);
    for (let i = 0; i < chunk; i++) rank += this.countOf(i);
    return rank;
  }

  /** Returns the index, in [from, to) of ascending chain heads, of the first key at or above `key`; `to` if there is none. */
  private firstFrom(chainHeads: Uint32Array, from: number, to: number, key: Uint8Array): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.entries.compareToKey(chainHeads[middle] as number, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Returns the last chunk, from `from` on, whose first key is at or below that of `chainHead`; at least `from`. After the first key of the
   * tail, the distance is doubled until the chunk is passed, because the next key is usually close.
   */
  private chunkBelow(chainHead: number, from: number): number {
    const { entries } = this;
    let low = from;
    let step = from === 0 ? this.chunks.length : 1;
    while (
      low + step < this.chunks.length &&
      entries.compare(this.chainHeadAt(low + step, 0), chainHead) <= 0
    ) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.chunks.length) - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (entries.compare(this.chainHeadAt(middle, 0), chainHead) <= 0) low = middle;
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

  /** Merges tail[from, to) into the chunk `at`, which is split if necessary. Returns the last chunk of the result. */
  private fold(at: number, from: number, to: number): number {
    const chunk = this.chunks[at];
    if (chunk === undefined) return this.fillChunks(0, from, to);
    const last = chunk.chainHeads[chunk.count - 1] as number;
    const isAbove = this.entries.compare(last, this.tail[from] as number) < 0;
    if (isAbove && !chunk.hasDigitsFor(to - from)) return this.appendTo(at, from, to);
    this.chunkBytes -= chunk.bytes;
    const upper = chunk.merge(this.tail, from, to, this.entries);
    this.chunkBytes += chunk.bytes;
    for (let i = 0; i < upper.length; i++) this.insertChunk(at + 1 + i, upper[i] as KeyChunk);
    return at + upper.length;
  }

  /** Appends tail[from, to), whose keys are above the whole chunk: fills it, then creates full chunks. Keys inserted in order move nothing. */
  private appendTo(at: number, from: number, to: number): number {
    const chunk = this.chunks[at] as KeyChunk;
    const end = Math.min(from + chunk.room, to);
    this.chunkBytes -= chunk.bytes;
    chunk.append(this.tail, from, end);
    this.chunkBytes += chunk.bytes;
    return end === to ? at : this.fillChunks(at + 1, end, to);
  }

  /** Inserts full chunks of tail[from, to) before the chunk `at` and returns the last of them. */
  private fillChunks(at: number, from: number, to: number): number {
    let next = at;
    for (let start = from; start < to; ) {
      const chunk = new KeyChunk();
      const end = Math.min(start + chunk.room, to);
      chunk.append(this.tail, start, end);
      this.insertChunk(next++, chunk);
      start = end;
    }
    return next - 1;
  }

  private insertChunk(at: number, chunk: KeyChunk): void {
    this.chunks.splice(at, 0, chunk);
    this.chunkBytes += chunk.bytes;
  }

  private sortTail(count: number): void {
    const { tail, runs, entries } = this;
    const scratch = new Uint32Array(count);
    if (runs.length > searchedRunsMax) sortChainHeads(tail, count, scratch, entries);
    else mergeChainHeads(tail, [...runs, count], scratch, entries);
  }

  private growTail(): void {
    const grown = new Uint32Array(2 * this.tail.length);
    grown.set(this.tail);
    this.tail = grown;
  }
}
