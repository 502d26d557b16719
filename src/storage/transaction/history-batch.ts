/** A generation of the write history that is one long commit: its batch, which must not change any more. */

import { BatchCursor } from '../batch/batch-cursor.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import type { KeyRange } from '../contract/store.ts';

export class HistoryBatch {
  /** The sequence of the commit. */
  readonly highest: number;
  private readonly batch: WriteBatch;

  constructor(batch: WriteBatch, sequence: number) {
    this.batch = batch;
    this.highest = sequence;
  }

  /** Estimated memory in bytes, with the values of the batch. */
  get bytes(): number {
    return this.batch.heldBytes;
  }

  /** Returns whether the key was written after `since`. */
  pointChanged(key: Uint8Array, since: number): boolean {
    return this.highest > since && this.batch.find(key) !== undefined;
  }

  /** Returns a key of the range that was written after `since`; `undefined` if there is none. */
  rangeChanged(range: KeyRange, since: number): Uint8Array | undefined {
    if (this.highest <= since) return undefined;
    const write = new BatchCursor(this.batch, range, 'forward').current;
    return write?.bytes.slice(write.keyFrom, write.keyTo);
  }
}
