/**
 * The sources that can contain the keys around a given key. The reads of a query are mostly of one table, and most sources contain nothing
 * of it.
 */

import { afterKey, compareBytes } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { CursorSource, KeyNeighborhood, SearchedGaps } from './source.ts';

const nothing = new Uint8Array(0);

/** A key range [from, to) in which `sources` give the same results as all sources together. */
export class Neighbourhood implements KeyNeighborhood {
  readonly sources: readonly CursorSource[];
  readonly gaps: SearchedGaps;
  private from: Uint8Array = nothing;
  private to: Uint8Array | undefined;

  /** Computes the neighborhood of `key` in `all`, which are listed newest first. */
  constructor(all: readonly CursorSource[], key: Uint8Array, gaps: SearchedGaps) {
    this.gaps = gaps;
    const sources: CursorSource[] = [];
    for (const source of all) {
      const answers = source.near(key, this);
      if (answers !== undefined) sources.push(answers);
    }
    this.sources = sources;
  }

  has(key: Uint8Array): boolean {
    return compareBytes(key, this.from) >= 0 && this.reaches(key, false);
  }

  hasRange({ from, to }: KeyRange): boolean {
    return compareBytes(from, this.from) >= 0 && this.reaches(to, true);
  }

  startFrom(key: Uint8Array): void {
    if (compareBytes(key, this.from) > 0) this.from = key;
  }

  startAfter(key: Uint8Array): void {
    this.startFrom(afterKey(key));
  }

  endBefore(key: Uint8Array): void {
    if (!this.reaches(key, false)) return;
    this.to = key;
  }

  endAfter(key: Uint8Array): void {
    this.endBefore(afterKey(key));
  }

  /** Returns whether `key` is below the end of the range, or equal to it if `key` is itself an exclusive end. A key of `undefined` is above all keys. */
  private reaches(key: Uint8Array | undefined, isEnd: boolean): boolean {
    if (this.to === undefined) return true;
    return key !== undefined && compareBytes(key, this.to) < (isEnd ? 1 : 0);
  }
}
