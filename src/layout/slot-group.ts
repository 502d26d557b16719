/**
 * Rows that are decoded together: their slots in blocks whose values lie as columns, block by block, their keys, and the positions in a batch that
 * they are meant for.
 */

import type { BlockValues } from '#storage';

/** Rows of a group at most: their reads of memory are more than a processor has in progress at a time. */
const rowsMax = 64;
/** A group ends with the block that reaches this sum of block lengths, because the size of a row is known only after it is decoded. */
const blocksBytesMax = 256 * 1024;

export class SlotGroup {
  readonly blocks: BlockValues[] = [];
  /** By block: the rows of the group before its own. */
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

  /** One after the last row of the block that comes `which` in the group. */
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
