/** Rows of one block whose values lie as columns: their slots, their keys, and the positions in a batch that they are meant for. */

import type { BlockValues } from '#storage';

export class SlotGroup {
  /** Undefined while the group is empty. */
  block: BlockValues | undefined;
  readonly slots: number[] = [];
  readonly keys: Uint8Array[] = [];
  readonly positions: number[] = [];
  count = 0;

  /** Whether a row of `block` may be added. */
  isOf(block: BlockValues): boolean {
    return this.block === block || this.block === undefined;
  }

  add(block: BlockValues, slot: number, key: Uint8Array, position: number): void {
    const at = this.count++;
    this.block = block;
    this.slots[at] = slot;
    this.keys[at] = key;
    this.positions[at] = position;
  }

  clear(): void {
    this.block = undefined;
    this.count = 0;
  }
}
