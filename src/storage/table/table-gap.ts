/**
 * Gaps between the keys of an SSTable. A flushed SSTable has keys of all tables and indexes, and
 * mostly none of the rows that a query reads.
 */

import { DatabaseError } from '#failure';
import type { KeyNeighborhood } from '../cursor/source.ts';
import type { Block } from './block.ts';
import type { IndexPartition } from './index-partition.ts';
import type { TableSections } from './table-sections.ts';
import { findPartition } from './top-index.ts';

/**
 * Narrows `around` to the gap that contains `key`. Returns false if the SSTable contains the key,
 * or if a read would have to be awaited to decide it.
 */
export function gapAround(
  sections: TableSections,
  key: Uint8Array,
  around: KeyNeighborhood,
): boolean {
  const { partitions } = sections;
  if (partitions === undefined) return false;
  const which = findPartition(partitions, key);
  const partition = sections.knownPartition(which);
  if (partition === undefined) return false;
  const index = partition.find(key);
  const block = blockOf(sections, partition, index);
  if (block === undefined) return false;
  const slot = block.lowerBound(key);
  const isLast = slot === block.rows;
  if (!isLast && block.find(key) >= 0) return false;
  const before =
    slot > 0
      ? block.keyAt(slot - 1)
      : index > 0
        ? partition.separator(index - 1)
        : partitions[which - 1]?.separator;
  if (before !== undefined) around.startAfter(before);
  if (isLast) around.endAfter(partition.separator(index));
  else around.endBefore(block.keyAt(slot));
  return true;
}

/**
 * Returns a block; `undefined` if it is not on this machine or cannot be read. The search of the
 * SSTable decides whether it needs the block.
 */
function blockOf(
  sections: TableSections,
  partition: IndexPartition,
  index: number,
): Block | undefined {
  if (sections.remote !== undefined) return sections.cachedBlock(partition, index);
  try {
    const block = sections.block(partition, index);
    if (!(block instanceof Promise)) return block;
    // The search that needs the block reads it again and reports the failure.
    block.catch(() => {});
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
  }
  return undefined;
}
