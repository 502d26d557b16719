/** The sources that the reads of one view ask: those that have keys near the one that was read before. */

import type { KeyRange } from '../contract/store.ts';
import { Neighbourhood } from './neighbourhood.ts';
import type { Source } from './source.ts';

/** Reads that jump about more often ask all sources. */
const jumpsMax = 8;

export class NearSources {
  private key: Neighbourhood | undefined;
  private range: Neighbourhood | undefined;
  /** Neighbourhoods of keys, and reads that were in one. */
  private found = 0;
  private served = 0;
  /** Gaps are looked for as long as reads mostly stay in one. */
  private isFine = true;

  /** Those of `all` that answer for `key`. */
  ofKey(all: readonly Source[], key: Uint8Array): readonly Source[] {
    if (this.key?.has(key) === true) {
      this.served++;
      return this.key.sources;
    }
    if (this.found > 2 * this.served + jumpsMax) return all;
    this.isFine &&= this.served >= this.found++;
    this.key = new Neighbourhood(all, key, this.isFine);
    return this.key.sources;
  }

  /** Those of `all` that answer for all keys of `range`. */
  ofRange(all: readonly Source[], range: KeyRange): readonly Source[] {
    if (this.range?.hasRange(range) === true) return this.range.sources;
    this.range = new Neighbourhood(all, range.from, false);
    return this.range.hasRange(range) ? this.range.sources : all;
  }

  /** Sources have changed. */
  forget(): void {
    this.key = undefined;
    this.range = undefined;
  }
}
