/**
 * The rows of the block that is being built: keys, bodies and versions in the order of their
 * arrival.
 */

import { ByteWriter } from '#base';
import type { StoredEntry } from '../cursor/internal-cursor.ts';

export class RowBuffer {
  readonly keys = new ByteWriter(32 * 1024);
  readonly bodies = new ByteWriter(64 * 1024);
  keyEnds = new Uint32Array(1024);
  bodyEnds = new Uint32Array(1024);
  sequences = new Float64Array(1024);
  isSameKey = new Uint8Array(1024);
  isTombstone = new Uint8Array(1024);
  rows = 0;
  /** Number of bytes of the common prefix of all keys. */
  prefixLength = 0;
  olderVersions = 0;
  tombstones = 0;

  /**
   * Returns the length of the prefix that the key of `entry` shares with the last key. The keys are
   * equal if it is the length of both.
   */
  sharedWithLast(entry: StoredEntry): number {
    const from = this.lastKeyFrom();
    const bytes = this.keys.bytes;
    const { key, keyFrom } = entry;
    const length = Math.min(this.keys.length - from, entry.keyTo - keyFrom);
    let shared = 0;
    while (shared < length && bytes[from + shared] === key[keyFrom + shared]) shared++;
    return shared;
  }

  lastKeyLength(): number {
    return this.keys.length - this.lastKeyFrom();
  }

  /** Adds an entry. `shared` is the result of `sharedWithLast`. */
  add(entry: StoredEntry, shared: number, isSameKey: boolean): void {
    const row = this.rows;
    if (row === this.keyEnds.length) this.grow();
    if (row === 0) this.prefixLength = Math.min(entry.keyTo - entry.keyFrom, 0xffff);
    else if (shared < this.prefixLength) this.prefixLength = shared;
    append(this.keys, entry.key, entry.keyFrom, entry.keyTo);
    if (!entry.isTombstone) append(this.bodies, entry.value, entry.valueFrom, entry.valueTo);
    this.keyEnds[row] = this.keys.length;
    this.bodyEnds[row] = this.bodies.length;
    this.sequences[row] = entry.sequence;
    this.isSameKey[row] = isSameKey ? 1 : 0;
    this.isTombstone[row] = entry.isTombstone ? 1 : 0;
    if (isSameKey) this.olderVersions++;
    if (entry.isTombstone) this.tombstones++;
    this.rows = row + 1;
  }

  /** Estimates the size of the block in bytes with one more entry of these lengths. */
  estimate(keyLength: number, bodyLength: number): number {
    const rows = this.rows + 1;
    const keyBytes = this.keys.length + keyLength - this.rows * this.prefixLength;
    return 128 + keyBytes + this.bodies.length + bodyLength + rows * perRowBytes;
  }

  lastKey(): Uint8Array {
    return this.keys.bytes.slice(this.lastKeyFrom(), this.keys.length);
  }

  clear(): void {
    this.keys.clear();
    this.bodies.clear();
    this.rows = 0;
    this.prefixLength = 0;
    this.olderVersions = 0;
    this.tombstones = 0;
  }

  private lastKeyFrom(): number {
    return this.rows < 2 ? 0 : (this.keyEnds[this.rows - 2] as number);
  }

  private grow(): void {
    this.keyEnds = doubled(this.keyEnds, Uint32Array);
    this.bodyEnds = doubled(this.bodyEnds, Uint32Array);
    this.sequences = doubled(this.sequences, Float64Array);
    this.isSameKey = doubled(this.isSameKey, Uint8Array);
    this.isTombstone = doubled(this.isTombstone, Uint8Array);
  }
}

/** The ends of key and body, and a sequence relative to the base of the block. */
const perRowBytes = 8;

type Column = Uint8Array | Uint32Array | Float64Array;

function doubled<T extends Column>(column: T, type: new (length: number) => T): T {
  const grown = new type(column.length * 2);
  grown.set(column);
  return grown;
}

/**
 * Appends the bytes of a row. Rows are mostly short: up to about 100 bytes, a loop is faster than
 * creating a view for `set`.
 */
function append(out: ByteWriter, source: Uint8Array, from: number, to: number): void {
  if (to - from > 96) {
    out.append(source, from, to);
    return;
  }
  const shift = out.reserve(to - from) - from;
  const { bytes } = out;
  for (let i = from; i < to; i++) bytes[i + shift] = source[i] as number;
}
