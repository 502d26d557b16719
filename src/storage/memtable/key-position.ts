/**
 * A position in the key order. The position is kept valid by the chain head that it refers to: inserts can change positions, but never chain
 * heads.
 */

import type { Entries } from './entries.ts';
import type { KeyOrder } from './key-order.ts';

const nothing = new Uint8Array(0);

const touchedAhead = 16;

export class KeyPosition {
  /** The current chain head; 0 if the position is past the last key, or before the first. */
  chainHead = 0;
  private readonly entries: Entries;
  private readonly order: KeyOrder;
  private chunk = 0;
  private slot = 0;
  private generation: number;
  private steps = 0;

  constructor(entries: Entries, order: KeyOrder) {
    this.entries = entries;
    this.order = order;
    this.generation = order.generation;
  }

  /** Moves to the first key at or above `key`, or past the end if there is none. Fast for a key slightly above the position. */
  seek(key: Uint8Array | undefined): void {
    this.generation = this.order.generation;
    this.chunk = key === undefined ? this.order.chunkCount : this.order.chunkOf(key, this.chunk);
    this.slot = key === undefined ? 0 : this.order.slotOf(this.chunk, key);
    this.settle();
  }

  copy(): KeyPosition {
    const copy = new KeyPosition(this.entries, this.order);
    copy.chunk = this.chunk;
    return copy;
  }

  forward(): void {
    if (this.generation !== this.order.generation) this.find();
    this.slot++;
    this.settle();
    this.steps = (this.steps + 1) & (touchedAhead - 1);
    if (this.steps === 2) this.order.touch(this.chunk, this.slot, touchedAhead);
  }

  /** Moves back by one key, also from past the end. */
  backward(): void {
    if (this.generation !== this.order.generation) this.find();
    this.slot--;
    if (this.slot < 0) {
      this.chunk--;
      this.slot = this.chunk < 0 ? 0 : this.order.countOf(this.chunk) - 1;
    }
    this.chainHead = this.chunk < 0 ? 0 : this.order.chainHeadAt(this.chunk, this.slot);
  }

  private settle(): void {
    const chunks = this.order.chunkCount;
    if (this.chunk < chunks && this.slot >= this.order.countOf(this.chunk)) {
      this.chunk++;
      this.slot = 0;
    }
    this.chainHead = this.chunk < chunks ? this.order.chainHeadAt(this.chunk, this.slot) : 0;
  }

  private find(): void {
    if (this.chainHead === 0) {
      this.seek(undefined);
      return;
    }
    const shown = { key: nothing, keyFrom: 0, keyTo: 0 };
    this.entries.showKey(this.chainHead, shown);
    this.chunk = 0;
    this.seek(shown.key.subarray(shown.keyFrom, shown.keyTo));
  }
}
