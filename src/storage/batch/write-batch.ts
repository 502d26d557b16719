/** The writes of one transaction, in key order: the last write of a key counts. Nothing is ever removed, so cursors survive inserts. */

import { compareRanges } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { BatchBytes } from './batch-bytes.ts';
import type { Steps, Stretch } from './stretch.ts';
import type { Write } from './write.ts';

const chunkWrites = 128;
/** Less than a stretch. */
const fewWrites = 64;
const fewBytes = 64 << 10;

export class WriteBatch {
  /** Writes in key order, in chunks of 1 to 128. */
  readonly chunks: Write[][] = [];
  /** Changes whenever positions do: a cursor that holds one has to find its place again. */
  generation = 0;
  /** Different keys written. */
  count = 0;
  /** Ranges that nobody needs any more after this commit. */
  readonly dropped: KeyRange[] = [];
  private readonly memory = new BatchBytes();
  /** The chunk of the last write. */
  private last = 0;

  /** Whether all of it is handled in one go. */
  get isSmall(): boolean {
    return this.count <= fewWrites && this.bytes <= fewBytes;
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.dropped.length === 0;
  }

  /** Bytes copied so far, those of overwritten writes included. */
  get bytes(): number {
    return this.memory.used;
  }

  /** Copies both. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.place(this.memory.copy(key, value));
  }

  /** Keeps `bytes`. */
  putOwned(bytes: Uint8Array, keyFrom: number, keyTo: number, valueTo: number): void {
    this.memory.used += valueTo - keyFrom;
    this.place({ bytes, keyFrom, keyTo, valueTo, isDelete: false });
  }

  delete(key: Uint8Array): void {
    this.place(this.memory.copy(key, undefined));
  }

  /** Copies the range. */
  dropRange({ from, to }: KeyRange): void {
    this.dropped.push({ from: from.slice(), to: to?.slice() });
  }

  find(key: Uint8Array): Write | undefined {
    if (this.count === 0) return undefined;
    const chunk = this.chunkOf(key, 0, key.length);
    const slot = slotOf(this.chunks[chunk] as Write[], key, 0, key.length);
    const write = this.chunks[chunk]?.[slot];
    return write !== undefined && compareKey(write, key, 0, key.length) === 0 ? write : undefined;
  }

  /** The chunk that holds, or would hold, the key: the last one that does not start above it. 0 in an empty batch. */
  chunkOf(key: Uint8Array, from: number, to: number): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const first = (this.chunks[middle] as Write[])[0] as Write;
      if (compareKey(first, key, from, to) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** As `chunkOf`, for a write that mostly lies near the one before. */
  private chunkNear(key: Uint8Array, from: number, to: number): number {
    const { chunks, last } = this;
    const first = chunks[last]?.[0];
    if (first === undefined || compareKey(first, key, from, to) > 0) {
      return this.chunkOf(key, from, to);
    }
    const next = chunks[last + 1]?.[0];
    if (next === undefined || compareKey(next, key, from, to) > 0) return last;
    return this.chunkOf(key, from, to);
  }

  private place(write: Write): void {
    const { bytes, keyFrom, keyTo } = write;
    if (this.isLast(bytes, keyFrom, keyTo)) {
      this.append(write);
      return;
    }
    const at = this.chunkNear(bytes, keyFrom, keyTo);
    this.last = at;
    const chunk = this.chunks[at] as Write[];
    const slot = slotOf(chunk, bytes, keyFrom, keyTo);
    const present = chunk[slot];
    if (present !== undefined && compareKey(present, bytes, keyFrom, keyTo) === 0) {
      chunk[slot] = write;
      return;
    }
    chunk.splice(slot, 0, write);
    this.added();
    if (chunk.length > chunkWrites) this.chunks.splice(at + 1, 0, chunk.splice(chunk.length >>> 1));
  }

  /** Whether the key is above all others. */
  private isLast(bytes: Uint8Array, keyFrom: number, keyTo: number): boolean {
    const chunk = this.chunks[this.chunks.length - 1];
    if (chunk === undefined) return true;
    return compareKey(chunk[chunk.length - 1] as Write, bytes, keyFrom, keyTo) < 0;
  }

  /** Keys in order leave full chunks behind. */
  private append(write: Write): void {
    const chunk = this.chunks[this.chunks.length - 1];
    if (chunk === undefined || chunk.length >= chunkWrites) this.chunks.push([write]);
    else chunk.push(write);
    this.last = this.chunks.length - 1;
    this.added();
  }

  private added(): void {
    this.count++;
    this.generation++;
  }
}

/** Calls `handle` for each write of a small batch in key order. */
export function eachOfFew(batch: WriteBatch, handle: (write: Write) => void): void {
  for (const chunk of batch.chunks) {
    for (let i = 0; i < chunk.length; i++) handle(chunk[i] as Write);
  }
}

/** Calls `handle` for each write in key order, with waits in between. */
export function* eachWrite(
  batch: WriteBatch,
  stretch: Stretch,
  handle: (write: Write) => void,
): Steps<void> {
  for (const chunk of batch.chunks) {
    for (let i = 0; i < chunk.length; i++) {
      const write = chunk[i] as Write;
      handle(write);
      const pause = stretch.after(write.valueTo - write.keyFrom);
      if (pause !== undefined) yield pause;
    }
  }
}

/** The first slot whose key is not below the given one. */
export function slotOf(chunk: readonly Write[], key: Uint8Array, from: number, to: number): number {
  const last = chunk[chunk.length - 1] as Write;
  if (compareKey(last, key, from, to) < 0) return chunk.length;
  let low = 0;
  let high = chunk.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(chunk[middle] as Write, key, from, to) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function compareKey(write: Write, key: Uint8Array, from: number, to: number): number {
  return compareRanges(write.bytes, write.keyFrom, write.keyTo, key, from, to);
}
