/** A set of keys given as key ranges, which are sorted, disjoint and found by binary search. */

import { compareBytes, firstIndex } from '#base';
import type { KeyRange } from '../contract/store.ts';

export class RangeSet {
  /** Ascending, with a gap between any two. */
  readonly ranges: readonly KeyRange[];

  constructor(ranges: readonly KeyRange[]) {
    this.ranges = merged(ranges);
  }

  /** Returns whether the set contains every key from `smallest` to `largest`, both inclusive. */
  covers(smallest: Uint8Array, largest: Uint8Array): boolean {
    const range = this.ranges[this.firstEndingAfter(smallest)];
    return (
      range !== undefined && compareBytes(range.from, smallest) <= 0 && isBefore(largest, range.to)
    );
  }

  /** Returns whether the set contains any key from `smallest` to `largest`, both inclusive. */
  meets(smallest: Uint8Array, largest: Uint8Array): boolean {
    const range = this.ranges[this.firstEndingAfter(smallest)];
    return range !== undefined && compareBytes(range.from, largest) <= 0;
  }

  /** Returns the parts of `range` outside the set, ascending. */
  gaps(range: KeyRange): readonly KeyRange[] {
    const gaps: KeyRange[] = [];
    let from: Uint8Array | undefined = range.from;
    for (let i = this.firstEndingAfter(range.from); i < this.ranges.length; i++) {
      const drop = this.ranges[i] as KeyRange;
      if (from === undefined || !isBefore(drop.from, range.to)) break;
      if (compareBytes(from, drop.from) < 0) gaps.push({ from, to: drop.from });
      from = drop.to;
    }
    if (from !== undefined && isBefore(from, range.to)) gaps.push({ from, to: range.to });
    return gaps;
  }

  private firstEndingAfter(key: Uint8Array): number {
    const { ranges } = this;
    return firstIndex(0, ranges.length, (at) => isBefore(key, (ranges[at] as KeyRange).to));
  }
}

/** Returns whether `key` is below `end`. An `undefined` end is the end of the key space. */
export function isBefore(key: Uint8Array, end: Uint8Array | undefined): boolean {
  return end === undefined || compareBytes(key, end) < 0;
}

function merged(ranges: readonly KeyRange[]): readonly KeyRange[] {
  const proper = ranges.filter(({ from, to }) => isBefore(from, to));
  const disjoint: KeyRange[] = [];
  for (const range of proper.sort((a, b) => compareBytes(a.from, b.from))) {
    const last = disjoint.at(-1);
    if (last === undefined || (last.to !== undefined && compareBytes(range.from, last.to) > 0)) {
      disjoint.push(range);
    } else if (last.to !== undefined && (range.to === undefined || isBefore(last.to, range.to))) {
      disjoint[disjoint.length - 1] = { from: last.from, to: range.to };
    }
  }
  return disjoint;
}
