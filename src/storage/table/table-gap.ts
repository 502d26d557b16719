/** Gaps between the keys of a table. A table that was flushed has keys of everything, and mostly none of the rows that a query reads. */

import { DatabaseError } from '#failure';
import type { Surroundings } from '../cursor/source.ts';
import type { Block } from './block.ts';
import type { IndexPartition } from './index-partition.ts';
import type { TableSections } from './table-sections.ts';
import { findPartition } from './top-index.ts';

/**
 * Draws the ends of `around` to the gap that `key` lies in. False when the table has the key, or would have to be waited for to tell.
 */
export function gapAround(sections: TableSections, key: Uint8Array, around: Surroundings): boolean {
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

/** Undefined when it is not on this machine, or cannot be read: whether the block is needed at all, the table's own search finds out. */
function blockOf(
  sections: TableSections,
  partition: IndexPartition,
  index: number,
): Block | undefined {
  if (sections.remote !== undefined) return sections.cachedBlock(partition, index);
  try {
    const block = sections.block(partition, index);
    if (!(block instanceof Promise)) return block;
    // The search that needs it asks again, and sees what is wrong.
    block.catch(() => {});
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
  }
  return undefined;
}
