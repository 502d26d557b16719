/**
 * Visits the blocks of an SSTable that may contain keys of a range, in either direction. The caller
 * polls it. In a remote SSTable it reads the first block alone, because many scans need only that
 * one. Afterwards it reads ahead.
 */

import { compareBytes, invariant, isPending, type Pending } from '#base';
import type { ZoneBound } from '../contract/stored-block.ts';
import type { Block } from './block.ts';
import { BlockBuffer } from './block-buffer.ts';
import type { IndexPartition } from './index-partition.ts';
import { ReadAhead, type ReadAheadBounds } from './read-ahead.ts';
import type { TableSections } from './table-sections.ts';
import { findPartition, type PartitionReference } from './top-index.ts';

const unsought = -2;

export interface WalkOptions {
  /** The walk visits the blocks with keys of [from, to), and possibly one more. */
  readonly range: { readonly from: Uint8Array; readonly to: Uint8Array };
  readonly isForward: boolean;
  readonly fillsCache: boolean;
  readonly readAhead: ReadAheadBounds;
  /** A forward walk skips blocks that have no value within these bounds. */
  readonly bounds?: readonly ZoneBound[] | undefined;
}

export class BlockWalk {
  private readonly sections: TableSections;
  private options: WalkOptions;
  private which = unsought;
  private index = unsought;
  private partition: IndexPartition | undefined;
  /** Created for the first block that is read and not cached. */
  private buffer: BlockBuffer | undefined;
  /** A block whose read has been awaited. */
  private arrived: Block | undefined;
  /** Set once a read has shown that the SSTable is remote. */
  private ahead: ReadAhead | undefined;

  constructor(sections: TableSections, options: WalkOptions) {
    this.sections = sections;
    this.options = options;
  }

  /** Begins another walk, which no earlier wait may outlive. */
  restart(options: WalkOptions): void {
    this.options = options;
    this.which = unsought;
    this.index = unsought;
    this.partition = undefined;
  }

  /** Continues after the last block, which the walk of `options` would visit first. */
  keepPlace(options: WalkOptions): void {
    this.options = options;
  }

  private get isForward(): boolean {
    return this.options.isForward;
  }

  /** The walk begins with the block of this key. */
  private get start(): Uint8Array {
    const { isForward, range } = this.options;
    return isForward ? range.from : range.to;
  }

  /** Returns the next block, `undefined` after the last one, or a wait. */
  next(): Block | undefined | Pending {
    const wait = this.sections.open();
    if (wait !== undefined) return wait;
    for (;;) {
      const partition = this.currentPartition();
      if (partition === undefined || isPending(partition)) return partition;
      if (this.index === unsought) this.enter(partition);
      if (this.passesOver(partition)) {
        this.step(partition);
        if (this.isPast(this.options.range.to)) return undefined;
        continue;
      }
      const block = this.read(partition);
      if (!isPending(block)) this.step(partition);
      return block;
    }
  }

  /**
   * Passes over the next blocks that are plain and have no key at or above `end`, and returns the
   * number of their entries. Their separators come from the index, and no block is read. Call it
   * only on a forward walk without bounds, after a block.
   */
  passCounted(end: Uint8Array): number {
    let entries = 0;
    if (this.arrived !== undefined) return entries;
    const partitions = this.sections.partitions ?? [];
    for (;;) {
      const whole = this.partition === undefined ? partitions[this.which] : undefined;
      const isWhole = whole !== undefined && this.sections.isPlain(this.which);
      if (isWhole && compareBytes(whole.separator, end) < 0) {
        entries += whole.rows;
        this.which++;
        continue;
      }
      const partition = this.currentPartition();
      // The next block needs the partition, too, and reports a failure to read it.
      if (isPending(partition)) partition.catch(() => {});
      if (partition === undefined || isPending(partition)) return entries;
      if (this.index === unsought) this.enter(partition);
      const { index } = this;
      if (!partition.isPlain(index) || partition.compareSeparator(index, end) >= 0) return entries;
      entries += partition.rows(index);
      this.step(partition);
    }
  }

  /** Returns a key at or above those of all blocks before, and below the later ones. Call it after a block. */
  separator(): Uint8Array {
    if (this.partition !== undefined && this.index > 0) {
      return this.partition.separator(this.index - 1);
    }
    const before = this.sections.partitions?.[this.which - 1];
    invariant(before !== undefined, 'a block comes before');
    return before.separator;
  }

  /**
   * Returns true if all later blocks have only keys above `key`. Call it only on a forward walk,
   * after a block.
   */
  isPast(key: Uint8Array): boolean {
    if (this.partition !== undefined && this.index > 0) {
      return this.partition.compareSeparator(this.index - 1, key) >= 0;
    }
    const before = this.sections.partitions?.[this.which - 1];
    return before !== undefined && compareBytes(before.separator, key) >= 0;
  }

  /**
   * Returns true if the bounds exclude the next block. An awaited block is never skipped, because
   * it is already in memory.
   */
  private passesOver(partition: IndexPartition): boolean {
    const { bounds } = this.options;
    if (bounds === undefined || !this.isForward || this.arrived !== undefined) return false;
    return partition.excludes(this.index, bounds);
  }

  private currentPartition(): IndexPartition | undefined | Pending {
    if (this.partition !== undefined) return this.partition;
    const partitions = this.sections.partitions ?? [];
    if (this.which === unsought) {
      const found = findPartition(partitions, this.start);
      this.which = this.isForward ? found : Math.min(found, partitions.length - 1);
    }
    if (this.passOverPartitions(partitions)) return undefined;
    if (this.which < 0 || this.which >= partitions.length) return undefined;
    const partition = this.sections.partition(this.which);
    if (partition instanceof Promise) {
      return partition.then((read) => this.enterPartition(read, partitions));
    }
    this.enterPartition(partition, partitions);
    return partition;
  }

  /**
   * Skips partitions without a value within the bounds, without reading them. Returns true if the
   * walk thereby passes its end.
   */
  private passOverPartitions(partitions: readonly PartitionReference[]): boolean {
    const { bounds, range } = this.options;
    if (bounds === undefined || !this.isForward) return false;
    while (this.which < partitions.length && this.sections.excludes(this.which, bounds)) {
      this.which++;
      if (this.isPast(range.to)) return true;
    }
    return false;
  }

  private enterPartition(
    partition: IndexPartition,
    partitions: readonly PartitionReference[],
  ): void {
    this.partition = partition;
    if (this.ahead !== undefined) this.fetchNextPartition(partitions);
  }

  /** Fetches the next partition early, because the scan needs it after the blocks of this one. */
  private fetchNextPartition(partitions: readonly PartitionReference[]): void {
    const { range, isForward, bounds } = this.options;
    const next = this.which + (isForward ? 1 : -1);
    const between = partitions[isForward ? this.which : next];
    if (between === undefined || next >= partitions.length) return;
    const end = isForward ? range.to : range.from;
    const isInside = compareBytes(between.separator, end) * (isForward ? -1 : 1) > 0;
    const isPassed = isForward && bounds !== undefined && this.sections.excludes(next, bounds);
    const isWanted = isInside && !isPassed;
    const fetched = isWanted ? this.sections.partition(next) : undefined;
    // A failure is reported when the walk reaches that partition and reads it again.
    if (fetched instanceof Promise) fetched.catch(() => {});
  }

  private enter(partition: IndexPartition): void {
    const found = partition.find(this.start);
    // In a later partition the search finds the first block, and in an earlier one it finds none.
    // Both results are right.
    this.index = this.isForward ? found : Math.min(found, partition.blocks - 1);
  }

  private read(partition: IndexPartition): Block | Pending {
    if (this.arrived !== undefined) {
      const block = this.arrived;
      this.arrived = undefined;
      return block;
    }
    if (this.ahead !== undefined) return this.ahead.block(partition, this.index);
    const block = this.options.fillsCache
      ? this.sections.block(partition, this.index, true)
      : this.passingBlock(partition);
    if (!(block instanceof Promise)) return block;
    return block.then((read) => {
      this.arrived = read;
      this.ahead = this.readAhead();
    });
  }

  private passingBlock(partition: IndexPartition): Block | Promise<Block> {
    this.buffer ??= new BlockBuffer();
    return this.sections.passingBlock(partition, this.index, this.buffer);
  }

  private readAhead(): ReadAhead {
    const { range, isForward, fillsCache, readAhead } = this.options;
    const lastWanted = (partition: IndexPartition) =>
      isForward
        ? Math.min(partition.find(range.to), partition.blocks - 1)
        : partition.find(range.from);
    return new ReadAhead(this.sections, readAhead, { isForward, lastWanted, fillsCache });
  }

  private step(partition: IndexPartition): void {
    this.index += this.isForward ? 1 : -1;
    if (this.index >= 0 && this.index < partition.blocks) return;
    this.which += this.isForward ? 1 : -1;
    this.partition = undefined;
    this.index = unsought;
  }
}
