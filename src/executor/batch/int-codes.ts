/**
 * Numbers distinct safe integers 0, 1, 2, … in their order of arrival. Keys from 0 on that are close together are indexes of an array; other keys
 * are hashed. A hash table that grows moves all of its keys in one step, so a large table is split once into many.
 */

import { findMany, findManyDense, knownRows } from './int-lookups.ts';
import { IntTable } from './int-table.ts';
import { filterBytes, KeyFilter } from './key-filter.ts';
import { denseSelection, type Selection } from './vector.ts';

const partBits = 8;
/** Number of keys at which the one table is split into many. */
const splitAt = 2 ** 14;
const multiplier = 0xc2b2ae35;
/**
 * The array has at most `placesOfKey` places per key. For few keys it has up to `placesOfFew` per key, as long as it has at most `placesNear`
 * places: half a mebibyte fits into a cache near the CPU.
 */
const placesOfKey = 16;
const placesOfFew = 256;
const placesNear = 2 ** 17;
/** Maximum length of the array: growing it further would block the thread for several milliseconds. */
const placesFar = 2 ** 22;
/** Number of hashed keys above which the array no longer grows: growth visits all of them each time. */
const denseGrowthMax = 2 ** 16;

export class IntCodes {
  size = 0;
  /** The code + 1 of each key, or 0. */
  private dense = new Int32Array(0);
  private whole = new IntTable();
  private parts: readonly IntTable[] | undefined;
  /** Number of hashed keys. */
  private hashed = 0;
  /** Bounds of all keys. */
  private low = Number.POSITIVE_INFINITY;
  private high = Number.NEGATIVE_INFINITY;
  /** Defined from `addFilter` until the next new key. */
  private filter: KeyFilter | undefined;

  /** Bytes without those of the filter. */
  get bytes(): number {
    const direct = this.dense.byteLength;
    if (this.parts === undefined) return direct + this.whole.bytes;
    let bytes = direct;
    for (let i = 0; i < this.parts.length; i++) bytes += (this.parts[i] as IntTable).bytes;
    return bytes;
  }

  /** Returns the code of `key`, or -1. */
  find(key: number): number {
    const { dense } = this;
    if (key >= 0 && key < dense.length) return ((dense[key | 0] as number) - 1) | 0;
    return this.parts === undefined ? this.whole.find(key) : this.partOf(key).find(key);
  }

  /** Writes to `out[row]` the code of each selected row's key, or -1. */
  findAll(keys: Float64Array, selection: Selection, count: number, out: Int32Array): void {
    const { dense } = this;
    const isAllDense = this.hashed === 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const key = keys[row] as number;
      if (key >= 0 && key < dense.length) out[row] = ((dense[key | 0] as number) - 1) | 0;
      else out[row] = isAllDense ? -1 : this.find(key);
    }
  }

  /**
   * Writes to `out[row]` the code of each selected row whose key has one, and these rows to `found`. Returns their number. If every selected row
   * has one, `found` has any contents.
   */
  findKnown(
    keys: Float64Array,
    selection: Selection,
    count: number,
    out: Int32Array,
    found: Uint32Array,
  ): number {
    const { dense, filter } = this;
    if (filter !== undefined) {
      const rows = filter.select(keys, selection, count, found);
      for (let i = 0; i < rows; i++) {
        const row = found[i] as number;
        out[row] = this.find(keys[row] as number);
      }
      return rows;
    }
    if (this.hashed > 0) {
      this.findAll(keys, selection, count, out);
      return knownRows(selection, count, out, found);
    }
    return selection === denseSelection
      ? findManyDense(dense, keys, count, out, found)
      : findMany(dense, keys, selection, count, out, found);
  }

  /** Bytes of the filter that `addFilter` creates; 0 if none pays. */
  get filterBytes(): number {
    return filterBytes(this.size, this.low, this.high);
  }

  /** Makes lookups of missing keys faster if few of the integers in the range of the keys are keys. */
  addFilter(): void {
    if (this.filterBytes === 0) return;
    const filter = new KeyFilter(this.low, this.high);
    const { dense } = this;
    for (let place = 0; place < dense.length; place++) if (dense[place] !== 0) filter.add(place);
    for (const table of this.parts ?? [this.whole]) table.each((key) => filter.add(key));
    this.filter = filter;
  }

  /** Returns the code of `key`; a new key gets `fresh`. */
  findOrAdd(key: number, fresh: number): number {
    const { dense } = this;
    if (!(key >= 0 && key < dense.length)) return this.findOrAddBeyond(key, fresh);
    const place = key | 0;
    const found = dense[place] as number;
    if (found !== 0) return (found - 1) | 0;
    dense[place] = fresh + 1;
    this.noteNew(key);
    return fresh;
  }

  private noteNew(key: number): void {
    this.size++;
    if (key < this.low) this.low = key;
    if (key > this.high) this.high = key;
    this.filter = undefined;
  }

  private findOrAddBeyond(key: number, fresh: number): number {
    const table = this.parts === undefined ? this.whole : this.partOf(key);
    const before = table.size;
    const code = table.findOrAdd(key, fresh);
    if (table.size === before) return code;
    this.noteNew(key);
    this.hashed++;
    if (key >= 0 && key < this.placesMax) this.growDense(key);
    else if (this.parts === undefined && this.whole.size === splitAt) this.split();
    return code;
  }

  /** Maximum length of the array that pays for the present number of keys. */
  private get placesMax(): number {
    if (this.hashed > denseGrowthMax) return this.dense.length;
    const near = Math.min(this.size * placesOfFew, placesNear);
    return Math.min(Math.max(this.size * placesOfKey, near), placesFar);
  }

  /** Grows the array to contain `key`, at least to twice its length, and moves the hashed keys below that length into it. */
  private growDense(key: number): void {
    const length = 2 ** Math.ceil(Math.log2(Math.max(key + 1, 2 * this.dense.length, 64)));
    const dense = new Int32Array(length);
    dense.set(this.dense);
    this.dense = dense;
    const before = this.parts ?? [this.whole];
    this.whole = new IntTable();
    this.parts = undefined;
    this.hashed = 0;
    for (const table of before) {
      table.each((hashed, code) => {
        if (hashed >= 0 && hashed < length) dense[hashed] = code + 1;
        else this.hash(hashed, code);
      });
    }
  }

  private hash(key: number, code: number): void {
    const table = this.parts === undefined ? this.whole : this.partOf(key);
    table.findOrAdd(key, code);
    this.hashed++;
    if (this.parts === undefined && this.whole.size === splitAt) this.split();
  }

  private partOf(key: number): IntTable {
    const high = Math.imul((key / 0x100000000) | 0, multiplier);
    const which = Math.imul((key | 0) ^ high ^ (key >>> 15), multiplier) >>> (32 - partBits);
    return (this.parts as readonly IntTable[])[which] as IntTable;
  }

  private split(): void {
    const { whole } = this;
    const bits = Math.log2(splitAt) - partBits + 1;
    this.parts = Array.from({ length: 2 ** partBits }, () => new IntTable(bits));
    whole.each((key, code) => this.partOf(key).findOrAdd(key, code));
    this.whole = new IntTable();
  }
}
