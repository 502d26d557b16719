/** Ranges of keys without other ranges of keys. */

import { compareBytes } from '#base';
import type { KeyRange } from '../store.ts';

/** The parts of `range` outside all of `dropped`, ascending. */
export function keyGaps(range: KeyRange, dropped: readonly KeyRange[]): readonly KeyRange[] {
  const gaps: KeyRange[] = [];
  let from: Uint8Array | undefined = range.from;
  const proper = dropped.filter((drop) => isBefore(drop.from, drop.to));
  for (const drop of proper.sort((a, b) => compareBytes(a.from, b.from))) {
    if (from === undefined || !isBefore(drop.from, range.to)) break;
    if (!isBefore(from, drop.to)) continue;
    if (compareBytes(from, drop.from) < 0) gaps.push({ from, to: drop.from });
    from = drop.to;
  }
  if (from !== undefined && isBefore(from, range.to)) gaps.push({ from, to: range.to });
  return gaps;
}

/** Whether `key` is below `end`; undefined is the end of the key space. */
export function isBefore(key: Uint8Array, end: Uint8Array | undefined): boolean {
  return end === undefined || compareBytes(key, end) < 0;
}
