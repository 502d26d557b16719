/** Rows that are decoded together: their slots by block, in blocks with columnar layout, their keys, and their positions in a batch. */

import type { BlockValues } from '#storage';

/** Maximum number of rows in a group. This limit exceeds the number of memory reads that a CPU has in progress at a time. */
const rowsMax = 64;
/** A group ends with the block that reaches this sum of block lengths, because the size of a row is known only after it is decoded. */
const blocksBytesMax = 256 * 1024;

export class SlotGroup {
  readonly blocks: BlockValues[] = [];
  /** For each block: the number of rows of the group before those of the block. */
  readonly starts: number[] = [];
  readonly slots: number[] = [];
  readonly keys: Uint8Array[] = [];
  readonly positions: number[] = [];
  count = 0;
  blockCount = 0;
  private blocksBytes = 0;

  get isFull(): boolean {
    return this.count >= rowsMax || this.blocksBytes >= blocksBytesMax;
  }

  add(block: BlockValues, slot: number, key: Uint8Array, position: number): void {
    const at = this.count++;
    if (at === 0 || this.blocks[this.blockCount - 1] !== block) {
      this.blocks[this.blockCount] = block;
      this.starts[this.blockCount++] = at;
      this.blocksBytes += block.blockBytes ?? 0;
    }
    this.slots[at] = slot;
    this.keys[at] = key;
    this.positions[at] = position;
  }

  /** Returns the index after the last row of block `which` of the group. */
  endOf(which: number): number {
    return which + 1 < this.blockCount ? (this.starts[which + 1] as number) : this.count;
  }

  clear(): void {
    this.blocks.length = 0;
    this.blockCount = 0;
    this.blocksBytes = 0;
    this.count = 0;
  }
}
