/** Rows that are decoded together: their slots by block, in blocks with columnar layout, their keys, and their positions in a batch. */

import type { BlockValues } from '#storage';

export class SlotGroup {
  readonly blocks: BlockValues[] = [];
  /** For each block: the number of rows of the group before those of the block. */
  readonly starts: number[] = [];
  readonly slots: number[] = [];
  readonly keys: Uint8Array[] = [];
  readonly positions: number[] = [];
  count = 0;
  blockCount = 0;

  add(block: BlockValues, slot: number, key: Uint8Array, position: number): void {
    const at = this.count++;
    if (at === 0 || this.blocks[this.blockCount - 1] !== block) {
      this.blocks[this.blockCount] = block;
      this.starts[this.blockCount++] = at;
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
    this.count = 0;
  }
}
