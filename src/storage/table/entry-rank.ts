/**
 * Estimates the number of entries of an SSTable that precede a key. The estimate uses the index and
 * does not wait.
 */

import type { KeyRange } from '../contract/store.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { clampRange } from './clamp-range.ts';
import type { IndexPartition } from './index-partition.ts';
import type { TableSections } from './table-sections.ts';
import { findPartition, type PartitionReference } from './top-index.ts';

/**
 * Estimates the number of entries of the SSTable in the range. Parts that are not in memory, or
 * cannot be read, count half.
 */
export function entriesWithin(sections: TableSections, entry: TableEntry, range: KeyRange): number {
  const clamped = clampRange(range, entry);
  if (clamped === undefined) return 0;
  const from = clamped.from === entry.smallest ? undefined : clamped.from;
  const to = clamped.to === range.to ? range.to : undefined;
  if (from === undefined && to === undefined) return entry.entries;
  const known = readOrNothing(() => isOpen(sections));
  if (known !== true) return entry.entries / 2;
  const end = to === undefined ? entry.entries : rankOf(sections, to);
  return end - (from === undefined ? 0 : rankOf(sections, from));
}

function isOpen(sections: TableSections): boolean {
  const opening = sections.open();
  // A failure is reported to the next caller that opens the SSTable.
  opening?.catch(() => {});
  return opening === undefined;
}

function rankOf(sections: TableSections, key: Uint8Array): number {
  const partitions = sections.partitions as readonly PartitionReference[];
  const which = findPartition(partitions, key);
  let rank = 0;
  for (let i = 0; i < which; i++) rank += (partitions[i] as PartitionReference).rows;
  const { rows } = partitions[which] ?? { rows: 0 };
  if (rows === 0) return rank;
  const partition = readOrNothing(() => sections.partition(which));
  if (partition === undefined) return rank + rows / 2;
  if (!(partition instanceof Promise)) return rank + rankInPartition(sections, partition, key);
  partition.catch(() => {});
  return rank + rows / 2;
}

function rankInPartition(
  sections: TableSections,
  partition: IndexPartition,
  key: Uint8Array,
): number {
  const index = partition.find(key);
  let rank = 0;
  for (let i = 0; i < index; i++) rank += partition.rows(i);
  if (index === partition.blocks) return rank;
  const block = sections.hasBlock(partition, index)
    ? sections.cachedBlock(partition, index)
    : undefined;
  return rank + (block === undefined ? partition.rows(index) / 2 : block.lowerBound(key));
}

/** Returns `undefined` if the SSTable cannot be read. A reader of its rows reports the error. */
function readOrNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
