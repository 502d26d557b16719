/** Which sources answer for the keys around one: reads of a query mostly are of one table, and most sources have nothing of it. */

import { afterKey, compareBytes } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { Source, Surroundings } from './source.ts';

const nothing = new Uint8Array(0);

/** Keys [from, to), for which `sources` answer as all sources together do. */
export class Neighbourhood implements Surroundings {
  readonly sources: readonly Source[];
  readonly isFine: boolean;
  private from: Uint8Array = nothing;
  private to: Uint8Array | undefined;

  /** The neighbourhood of `key` in `all`, which are listed newest first. */
  constructor(all: readonly Source[], key: Uint8Array, isFine: boolean) {
    this.isFine = isFine;
    const sources: Source[] = [];
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

  /** Whether `key` is below the end, or at the end where it is an end itself; undefined is above all keys. */
  private reaches(key: Uint8Array | undefined, isEnd: boolean): boolean {
    if (this.to === undefined) return true;
    return key !== undefined && compareBytes(key, this.to) < (isEnd ? 1 : 0);
  }
}
