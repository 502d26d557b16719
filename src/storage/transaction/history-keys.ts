/** One generation of the write history: keys in order, each with the sequence of its last commit. */

import { compareRanges } from '#base';
import type { KeyRange } from '../contract/store.ts';

const chunkKeys = 256;
/** Estimated memory of an entry in addition to its key: offset, sequence and unused space in chunks. */
const entryBytes = 20;

interface Chunk {
  readonly offsets: Uint32Array;
  readonly sequences: Float64Array;
  count: number;
  /** The highest sequence in the chunk. A chunk at or below the requested sequence needs no search. */
  highest: number;
}

/** The keys of one generation, which are stored in one growing array, each after its length in four bytes. */
export class HistoryKeys {
  /** The highest recorded sequence. */
  highest = 0;
  /** Estimated memory in bytes. */
  bytes = 0;
  private readonly chunks: Chunk[] = [];
  private memory = new Uint8Array(4096);
  private view = new DataView(this.memory.buffer);
  private used = 0;

  record(key: Uint8Array, from: number, to: number, sequence: number): void {
    this.highest = sequence;
    const end = this.chunks[this.chunks.length - 1];
    if (end === undefined || this.compare(end, end.count - 1, key, from, to) < 0) {
      this.append(end, this.copy(key, from, to), sequence);
      return;
    }
    const at = this.chunkOf(key, from, to);
    const chunk = this.chunks[at] as Chunk;
    const slot = this.slotOf(chunk, key, from, to);
    chunk.highest = sequence;
    if (slot < chunk.count && this.compare(chunk, slot, key, from, to) === 0) {
      chunk.sequences[slot] = sequence;
    } else {
      this.insertAt(at, slot, this.copy(key, from, to), sequence);
    }
  }

  /** Returns whether the key was written after `since`. */
  pointChanged(key: Uint8Array, since: number): boolean {
    const chunk = this.chunks[this.chunkOf(key, 0, key.length)];
    if (chunk === undefined || chunk.highest <= since) return false;
    const slot = this.slotOf(chunk, key, 0, key.length);
    if (slot === chunk.count || this.compare(chunk, slot, key, 0, key.length) !== 0) return false;
    return (chunk.sequences[slot] as number) > since;
  }

  /** Returns a key of the range that was written after `since`; `undefined` if there is none. */
  rangeChanged({ from, to }: KeyRange, since: number): Uint8Array | undefined {
    for (let at = this.chunkOf(from, 0, from.length); at < this.chunks.length; at++) {
      const chunk = this.chunks[at] as Chunk;
      if (to !== undefined && this.compare(chunk, 0, to, 0, to.length) >= 0) return undefined;
      if (chunk.highest <= since) continue;
      for (let slot = this.slotOf(chunk, from, 0, from.length); slot < chunk.count; slot++) {
        if ((chunk.sequences[slot] as number) <= since) continue;
        if (to !== undefined && this.compare(chunk, slot, to, 0, to.length) >= 0) return undefined;
        return this.keyAt(chunk, slot);
      }
    }
    return undefined;
  }

  private chunkOf(key: Uint8Array, from: number, to: number): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.compare(this.chunks[middle] as Chunk, 0, key, from, to) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private slotOf(chunk: Chunk, key: Uint8Array, from: number, to: number): number {
    let low = 0;
    let high = chunk.count;
    if (this.compare(chunk, high - 1, key, from, to) < 0) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(chunk, middle, key, from, to) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compare(chunk: Chunk, slot: number, key: Uint8Array, from: number, to: number): number {
    const at = chunk.offsets[slot] as number;
    const start = at + 4;
    const end = start + this.view.getUint32(at, true);
    return compareRanges(this.memory, start, end, key, from, to);
  }

  private keyAt(chunk: Chunk, slot: number): Uint8Array {
    const at = chunk.offsets[slot] as number;
    return this.memory.slice(at + 4, at + 4 + this.view.getUint32(at, true));
  }

  /** Adds a key above all others. Keys recorded in order fill each chunk completely. */
  private append(end: Chunk | undefined, offset: number, sequence: number): void {
    let chunk = end;
    if (chunk === undefined || chunk.count === chunkKeys) {
      chunk = newChunk();
      this.chunks.push(chunk);
    }
    this.insert(chunk, chunk.count, offset, sequence);
  }

  private insertAt(at: number, slot: number, offset: number, sequence: number): void {
    const chunk = this.chunks[at] as Chunk;
    if (chunk.count < chunkKeys) {
      this.insert(chunk, slot, offset, sequence);
      return;
    }
    const middle = chunkKeys / 2;
    const right = splitChunk(chunk, middle);
    this.chunks.splice(at + 1, 0, right);
    if (slot <= middle) this.insert(chunk, slot, offset, sequence);
    else this.insert(right, slot - middle, offset, sequence);
  }

  private insert(chunk: Chunk, slot: number, offset: number, sequence: number): void {
    chunk.offsets.copyWithin(slot + 1, slot, chunk.count);
    chunk.sequences.copyWithin(slot + 1, slot, chunk.count);
    chunk.offsets[slot] = offset;
    chunk.sequences[slot] = sequence;
    chunk.count++;
    chunk.highest = sequence;
  }

  private copy(key: Uint8Array, from: number, to: number): number {
    const at = this.used;
    const end = at + 4 + (to - from);
    if (end > this.memory.length) this.grow(end);
    this.view.setUint32(at, to - from, true);
    for (let i = from; i < to; i++) this.memory[at + 4 + i - from] = key[i] as number;
    this.used = end;
    this.bytes += end - at + entryBytes;
    return at;
  }

  private grow(needed: number): void {
    const grown = new Uint8Array(Math.max(needed, this.memory.length * 2));
    grown.set(this.memory);
    this.memory = grown;
    this.view = new DataView(grown.buffer);
  }
}

function newChunk(): Chunk {
  return {
    offsets: new Uint32Array(chunkKeys),
    sequences: new Float64Array(chunkKeys),
    count: 0,
    highest: 0,
  };
}

function splitChunk(chunk: Chunk, middle: number): Chunk {
  const right = newChunk();
  right.offsets.set(chunk.offsets.subarray(middle, chunk.count));
  right.sequences.set(chunk.sequences.subarray(middle, chunk.count));
  right.count = chunk.count - middle;
  right.highest = chunk.highest;
  chunk.count = middle;
  return right;
}
