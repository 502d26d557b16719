/** Iterates over all versions of a frozen memtable in order, and copies them as the words of the arena. */

import type { EntryWalk } from '../cursor/source.ts';
import type { Entries } from './entries.ts';
import type { KeyOrder } from './key-order.ts';

const touchedAhead = 16;

export class MemtableWalk implements EntryWalk {
  private readonly entries: Entries;
  private readonly order: KeyOrder;
  private chunk = 0;
  private slot = 0;
  /** The next version of the key at the slot; 0 for the newest one. */
  private version = 0;

  constructor(entries: Entries, order: KeyOrder) {
    this.entries = entries;
    this.order = order;
  }

  get isDone(): boolean {
    return this.chunk >= this.order.chunkCount;
  }

  copy(target: Uint32Array, at: number): number {
    const { entries, order } = this;
    if ((this.slot & (touchedAhead - 1)) === 0) order.touch(this.chunk, this.slot, touchedAhead);
    const chainHead = order.chainHeadAt(this.chunk, this.slot);
    const version = this.version === 0 ? entries.newest(chainHead) : this.version;
    const end = entries.copyEntry(chainHead, version, target, at);
    if (end < 0) return end;
    this.version = entries.older(version);
    if (this.version === 0 && ++this.slot === order.countOf(this.chunk)) {
      this.chunk++;
      this.slot = 0;
    }
    return end;
  }
}
