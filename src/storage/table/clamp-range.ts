/** The part of a range that a table can hold. */

import { afterKey, compareBytes } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { TableEntry } from '../manifest/manifest.ts';

/** Undefined when no key of `entry` is in `range`. Ends that lie outside the table are kept, where that needs no look. */
export function clampRange(range: KeyRange, entry: TableEntry): KeyRange | undefined {
  if (range.to !== undefined && compareBytes(entry.smallest, range.to) >= 0) return undefined;
  if (compareBytes(entry.largest, range.from) < 0) return undefined;
  if (range.to !== undefined && compareBytes(range.from, range.to) >= 0) return undefined;
  const from = compareBytes(range.from, entry.smallest) < 0 ? entry.smallest : range.from;
  const isOpen = range.to === undefined || compareBytes(range.to, entry.largest) > 0;
  return { from, to: isOpen ? afterKey(entry.largest) : range.to };
}
