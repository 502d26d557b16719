/** The part of a range that an SSTable can contain. */

import { afterKey, compareBytes } from '#base';
import type { KeyRange } from '../contract/store.ts';
import type { TableEntry } from '../manifest/manifest.ts';

/**
 * Limits `range` to the keys of `entry`; `undefined` if it contains none of them. The result may
 * keep an end of `range` that is outside the SSTable.
 */
export function clampRange(range: KeyRange, entry: TableEntry): KeyRange | undefined {
  if (range.to !== undefined && compareBytes(entry.smallest, range.to) >= 0) return undefined;
  if (compareBytes(entry.largest, range.from) < 0) return undefined;
  if (range.to !== undefined && compareBytes(range.from, range.to) >= 0) return undefined;
  const from = compareBytes(range.from, entry.smallest) < 0 ? entry.smallest : range.from;
  const isOpen = range.to === undefined || compareBytes(range.to, entry.largest) > 0;
  return { from, to: isOpen ? afterKey(entry.largest) : range.to };
}
