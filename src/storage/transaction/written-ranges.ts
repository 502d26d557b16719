/**
 * The keys that a large commit has written, as ranges of neighboring keys. The ranges contain every
 * written key, and others between them, so that a conflict may be false but is never missed.
 */

import { compareBytes, compareRanges, firstIndex } from '#base';
import type { Write } from '../batch/write.ts';
import type { KeyRange } from '../contract/store.ts';

/** The keys from `first` to `last`, both inclusive. */
interface WrittenRange {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

const keysPerRange = 512;
/** Keys with different beginnings of this length are in different ranges: they are far apart. */
const beginningBytes = 5;
/** Maximum number of ranges of one commit. Above it, neighboring ranges are joined. */
const rangesMax = 8192;
/** Estimated memory of a range in addition to its keys. */
const rangeBytes = 208;

/** Collects the ranges of writes that arrive in key order. */
export class RangeCollector {
  private readonly ranges: WrittenRange[] = [];
  private first: Uint8Array | undefined;
  private count = 0;
  /** The last write. Its memory does not change. */
  private bytes: Uint8Array = new Uint8Array(0);
  private keyFrom = 0;
  private keyTo = 0;

  add({ bytes, keyFrom, keyTo }: Write): void {
    const { first } = this;
    if (first === undefined) {
      this.first = bytes.slice(keyFrom, keyTo);
    } else if (this.count >= keysPerRange || !beginsLike(first, bytes, keyFrom, keyTo)) {
      this.end(first);
      this.first = bytes.slice(keyFrom, keyTo);
    }
    this.count++;
    this.bytes = bytes;
    this.keyFrom = keyFrom;
    this.keyTo = keyTo;
  }

  finish(): WrittenRanges {
    if (this.first !== undefined) this.end(this.first);
    this.first = undefined;
    return new WrittenRanges(this.ranges);
  }

  private end(first: Uint8Array): void {
    this.ranges.push({ first, last: this.bytes.slice(this.keyFrom, this.keyTo) });
    this.count = 0;
  }
}

export class WrittenRanges {
  /** Ascending and disjoint. */
  private readonly ranges: readonly WrittenRange[];
  /** Estimated memory in bytes. */
  readonly bytes: number;

  constructor(ranges: readonly WrittenRange[] = []) {
    this.ranges = ranges;
    this.bytes = ranges.reduce(
      (sum, { first, last }) => sum + rangeBytes + first.length + last.length,
      0,
    );
  }

  get count(): number {
    return this.ranges.length;
  }

  /** Returns ranges that contain the keys of both, at most `max` unless they are far apart. */
  with(other: WrittenRanges, max = rangesMax): WrittenRanges {
    let joined = joinOverlapping(this.ranges, other.ranges);
    while (joined.length > max) {
      const fewer = joinNeighbors(joined, joined.length >= 2 * max);
      if (fewer.length === joined.length) break;
      joined = fewer;
    }
    return new WrittenRanges(joined);
  }

  /** Returns true if the commit may have written the key. */
  mayContain(key: Uint8Array): boolean {
    return this.mayContainOne(key, key);
  }

  /** Returns true if the commit may have written a key from `first` to `last`, both inclusive. */
  mayContainOne(first: Uint8Array, last: Uint8Array): boolean {
    const range = this.ranges[this.firstEndingAt(first)];
    return range !== undefined && compareBytes(range.first, last) <= 0;
  }

  /** Returns the nearest written keys `before` and `after` a key, unless it is `at` a range: within its bounds. */
  around(key: Uint8Array): {
    readonly before?: Uint8Array | undefined;
    readonly at: boolean;
    readonly after?: Uint8Array | undefined;
  } {
    const index = this.firstEndingAt(key);
    const range = this.ranges[index];
    const at = range !== undefined && compareBytes(range.first, key) <= 0;
    return { before: this.ranges[index - 1]?.last, at, after: range?.first };
  }

  /** Returns true if the commit may have written a key of the range. */
  mayMeet({ from, to }: KeyRange): boolean {
    const range = this.ranges[this.firstEndingAt(from)];
    return range !== undefined && (to === undefined || compareBytes(range.first, to) < 0);
  }

  /** Returns the index of the first range that ends at or above `key`. */
  private firstEndingAt(key: Uint8Array): number {
    const { ranges } = this;
    return firstIndex(0, ranges.length, (at) => {
      return compareBytes((ranges[at] as WrittenRange).last, key) >= 0;
    });
  }
}

function beginsLike(first: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  const firstTo = Math.min(first.length, beginningBytes);
  return compareRanges(first, 0, firstTo, bytes, from, Math.min(to, from + beginningBytes)) === 0;
}

/** Merges two ascending lists of disjoint ranges into one. */
function joinOverlapping(
  left: readonly WrittenRange[],
  right: readonly WrittenRange[],
): readonly WrittenRange[] {
  if (left.length === 0 || right.length === 0) return left.length === 0 ? right : left;
  const joined: WrittenRange[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const [one, other] = [left[l], right[r]];
    const isLeft =
      other === undefined || (one !== undefined && compareBytes(one.first, other.first) <= 0);
    const next = (isLeft ? one : other) as WrittenRange;
    if (isLeft) l++;
    else r++;
    const last = joined[joined.length - 1];
    if (last === undefined || compareBytes(last.last, next.first) < 0) joined.push(next);
    else if (compareBytes(last.last, next.last) < 0) {
      joined[joined.length - 1] = { first: last.first, last: next.last };
    }
  }
  return joined;
}

/** Joins every second range with the next one; unless `isAny`, only if their keys begin alike. */
function joinNeighbors(ranges: readonly WrittenRange[], isAny: boolean): readonly WrittenRange[] {
  const joined: WrittenRange[] = [];
  for (let at = 0; at < ranges.length; ) {
    const one = ranges[at] as WrittenRange;
    const next = ranges[at + 1];
    const fits =
      next !== undefined && (isAny || beginsLike(one.first, next.last, 0, next.last.length));
    joined.push(fits ? { first: one.first, last: next.last } : one);
    at += fits ? 2 : 1;
  }
  return joined;
}
