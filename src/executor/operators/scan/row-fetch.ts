/** Fetches the rows of many keys in key order, in batches: storage finds the keys of a batch together, and their rows are decoded together. */

import { invariant, type Pending } from '#base';
import { KeyBatch } from '#storage';
import type { Datums } from '../../batch/vector.ts';
import type { QueryRun } from '../operator.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { batchBytes, scanWork } from './batch-size.ts';
import { keyPositions } from './key-positions.ts';
import type { RowDecoder } from './row-decoder.ts';

/** Number of bytes after which the work may yield. */
const pauseBytes = batchBytes / 8;

export class RowFetch {
  /** Keys of the rows, by position. */
  readonly keys: Uint8Array[] = [];
  /** Bytes of the rows that were fetched. */
  bytes = 0;
  private readonly decoder: BatchDecoder;
  private readonly run: QueryRun;
  /** Positions in key order; undefined while keys are being added. */
  private order: Uint16Array | undefined;
  /** Number of keys of `order` that were looked up. */
  private sought = 0;
  /** Bytes that are not yet charged to the budget. */
  private untold = 0;
  private readonly batch = new KeyBatch();

  constructor(decoder: RowDecoder, run: QueryRun) {
    this.decoder = new BatchDecoder(decoder);
    this.run = run;
  }

  /** Removes all keys. */
  clear(): void {
    this.keys.length = 0;
    this.order = undefined;
    this.sought = 0;
    this.bytes = 0;
    this.untold = 0;
    this.batch.clear();
    this.decoder.clear();
  }

  /**
   * Writes the rows into `columns` at the positions of their keys, until all are fetched or they have at least `bytesMax` bytes. After a wait,
   * call it again.
   */
  fetch(columns: readonly Datums[], bytesMax: number): Pending | undefined {
    const { keys, run, batch } = this;
    this.order ??= keyPositions(keys);
    while (this.sought < this.order.length && this.bytes < bytesMax) {
      if (this.untold >= pauseBytes) {
        const pause = run.budget.pause(scanWork(0, 0, this.untold));
        this.untold = 0;
        if (pause !== undefined) return pause;
      }
      if (batch.end === 0) this.addKeys(this.order);
      const wait = run.view.findAll(batch);
      if (wait !== undefined) return wait;
      const bytes = this.decoder.decode(batch, this.order, this.sought, columns);
      this.bytes += bytes;
      this.untold += bytes;
      this.sought += batch.end;
      batch.clear();
    }
    return undefined;
  }

  /** Positions of keys that have no row. */
  get absent(): readonly number[] {
    return this.decoder.absent;
  }

  /** Positions whose keys were not looked up yet. */
  get rest(): Uint16Array {
    invariant(this.order !== undefined, 'rows have been fetched');
    return this.order.subarray(this.sought);
  }

  private addKeys(order: Uint16Array): void {
    for (let i = this.sought; i < order.length && !this.batch.isFull; i++) {
      this.batch.add(this.keys[order[i] as number] as Uint8Array);
    }
  }
}
