/** Walks the blocks of a table that may hold keys of a range, in either direction. Polled. */

import { compareBytes, isPending, type Pending } from '#base';
import type { Block } from './block.ts';
import type { IndexPartition } from './index-partition.ts';
import type { TableSections } from './table-sections.ts';
import { findPartition } from './top-index.ts';

const unsought = -2;

export class BlockWalk {
  private readonly sections: TableSections;
  private readonly isForward: boolean;
  private readonly fillsCache: boolean;
  /** The block of this key is the first one. */
  private readonly start: Uint8Array;
  private which = unsought;
  private index = unsought;
  private partition: IndexPartition | undefined;
  /** A block that was waited for. */
  private arrived: Block | undefined;

  constructor(sections: TableSections, start: Uint8Array, isForward: boolean, fillsCache: boolean) {
    this.sections = sections;
    this.start = start;
    this.isForward = isForward;
    this.fillsCache = fillsCache;
  }

  /** The next block, undefined past the last one, or a wait. */
  next(): Block | undefined | Pending {
    const wait = this.sections.open();
    if (wait !== undefined) return wait;
    const partition = this.currentPartition();
    if (partition === undefined || isPending(partition)) return partition;
    if (this.index === unsought) this.enter(partition);
    const block = this.read(partition);
    if (!isPending(block)) this.step(partition);
    return block;
  }

  /** Every key of the blocks that follow is above `key`. Forward only, after a block. */
  isPast(key: Uint8Array): boolean {
    if (this.partition !== undefined) {
      return this.partition.compareSeparator(this.index - 1, key) >= 0;
    }
    const before = this.sections.partitions?.[this.which - 1];
    return before !== undefined && compareBytes(before.separator, key) >= 0;
  }

  private currentPartition(): IndexPartition | undefined | Pending {
    if (this.partition !== undefined) return this.partition;
    const partitions = this.sections.partitions ?? [];
    if (this.which === unsought) {
      const found = findPartition(partitions, this.start);
      this.which = this.isForward ? found : Math.min(found, partitions.length - 1);
    }
    if (this.which < 0 || this.which >= partitions.length) return undefined;
    const partition = this.sections.partition(this.which);
    if (!isPending(partition)) this.partition = partition;
    return partition;
  }

  private enter(partition: IndexPartition): void {
    const found = partition.find(this.start);
    // Of a later partition the search answers the first block, and of an earlier one that there is none: both are right.
    this.index = this.isForward ? found : Math.min(found, partition.blocks - 1);
  }

  private read(partition: IndexPartition): Block | Pending {
    if (this.arrived !== undefined) {
      const block = this.arrived;
      this.arrived = undefined;
      return block;
    }
    if (this.fillsCache) return this.sections.block(partition, this.index);
    const block = this.sections.passingBlock(partition, this.index);
    if (!(block instanceof Promise)) return block;
    return block.then((read) => {
      this.arrived = read;
    });
  }

  private step(partition: IndexPartition): void {
    this.index += this.isForward ? 1 : -1;
    if (this.index >= 0 && this.index < partition.blocks) return;
    this.which += this.isForward ? 1 : -1;
    this.partition = undefined;
    this.index = unsought;
  }
}
