/** Selects the sources for the reads of one view: those with keys near the previously read key. */

import type { KeyRange } from '../contract/store.ts';
import { Neighbourhood } from './neighbourhood.ts';
import type { CursorSource } from './source.ts';

/** Reads search all sources once the neighborhoods outnumber twice the reads that they served by more than this number. */
const jumpsMax = 8;

/** Number of neighborhoods, and of reads that hit one. */
class HitCount {
  found = 0;
  served = 0;

  get isJumping(): boolean {
    return this.found > 2 * this.served + jumpsMax;
  }
}

export class NearSources {
  private key: Neighbourhood | undefined;
  private range: Neighbourhood | undefined;
  private readonly keys = new HitCount();
  /** Counts neighborhoods of ranges that are gaps. */
  private readonly ranges = new HitCount();
  /** True while most reads stay in a neighborhood, so that looking for gaps within a source is worthwhile. */
  private isFine = true;

  /** Returns the sources of `all` that can contain `key`. */
  ofKey(all: readonly CursorSource[], key: Uint8Array): readonly CursorSource[] {
    if (this.key?.has(key) === true) {
      this.keys.served++;
      return this.key.sources;
    }
    if (this.keys.isJumping) return all;
    this.isFine &&= this.keys.served >= this.keys.found++;
    this.key = new Neighbourhood(all, key, this.isFine ? 'all' : 'none');
    return this.key.sources;
  }

  /**
   * Returns the end of the keys of [from, to), which are in order, for which the sources of the first one are those that `ofKey` has just
   * returned. They count as served.
   */
  endOf(keys: readonly Uint8Array[], from: number, to: number): number {
    const { key } = this;
    if (key?.has(keys[from] as Uint8Array) !== true) return to;
    let end = to;
    while (!key.has(keys[end - 1] as Uint8Array)) end--;
    this.keys.served += end - from - 1;
    return end;
  }

  /** Returns the sources of `all` that can contain keys of `range`. */
  ofRange(all: readonly CursorSource[], range: KeyRange): readonly CursorSource[] {
    if (this.range?.hasRange(range) === true) {
      this.ranges.served++;
      return this.range.sources;
    }
    if (!this.ranges.isJumping) {
      this.ranges.found++;
      this.range = new Neighbourhood(all, range.from, 'in memory');
      if (this.range.hasRange(range)) return this.range.sources;
    }
    this.range = new Neighbourhood(all, range.from, 'none');
    return this.range.hasRange(range) ? this.range.sources : all;
  }

  /** Discards the neighborhoods. Must be called when the sources change. */
  forget(): void {
    this.key = undefined;
    this.range = undefined;
  }
}
