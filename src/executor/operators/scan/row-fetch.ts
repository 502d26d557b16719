/** Fetches the rows of many keys in key order, which is fast in storage, and decodes them in groups. */

import { invariant, type Pending } from '#base';
import { SlotGroup } from '#layout';
import type { Datums } from '../../batch/vector.ts';
import type { QueryRun } from '../operator.ts';
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
  /** Positions of keys that have no row. */
  readonly absent: number[] = [];
  private readonly decoder: RowDecoder;
  private readonly run: QueryRun;
  /** Positions in key order; undefined while keys are being added. */
  private order: Uint16Array | undefined;
  /** Number of keys of `order` that were looked up. */
  private sought = 0;
  /** Bytes that are not yet charged to the budget. */
  private untold = 0;
  private readonly group = new SlotGroup();

  constructor(decoder: RowDecoder, run: QueryRun) {
    this.decoder = decoder;
    this.run = run;
  }

  /** Removes all keys. */
  clear(): void {
    this.keys.length = 0;
    this.absent.length = 0;
    this.order = undefined;
    this.sought = 0;
    this.bytes = 0;
    this.untold = 0;
    this.group.clear();
  }

  /**
   * Writes the rows into `columns` at the positions of their keys, until all are fetched or they have at least `bytesMax` bytes. After a wait,
   * call it again.
   */
  fetch(columns: readonly Datums[], bytesMax: number): Pending | undefined {
    const { keys, run, group } = this;
    this.order ??= keyPositions(keys);
    const { order } = this;
    while (this.sought < order.length && this.bytes < bytesMax) {
      if (this.untold >= pauseBytes) {
        const pause = run.budget.pause(scanWork(0, 0, this.untold));
        this.untold = 0;
        if (pause !== undefined) return pause;
      }
      const at = order[this.sought] as number;
      const key = keys[at] as Uint8Array;
      const found = run.view.find(key);
      if (found instanceof Promise) {
        this.decodeGroup(columns);
        return found;
      }
      this.sought++;
      if (found === undefined) this.absent.push(at);
      else if (found.block === undefined) {
        this.told(this.decoder.decodeFetched(key, found, columns, at));
      } else {
        group.add(found.block, found.slot, key, at);
        if (group.isFull) this.decodeGroup(columns);
      }
    }
    this.decodeGroup(columns);
    return undefined;
  }

  /** Positions whose keys were not looked up yet. */
  get rest(): Uint16Array {
    invariant(this.order !== undefined, 'rows have been fetched');
    return this.order.subarray(this.sought);
  }

  private decodeGroup(columns: readonly Datums[]): void {
    if (this.group.count === 0) return;
    this.told(this.decoder.decodeGroup(this.group, columns));
    this.group.clear();
  }

  private told(bytes: number): void {
    this.bytes += bytes;
    this.untold += bytes;
  }
}
