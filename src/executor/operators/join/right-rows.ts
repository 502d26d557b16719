/**
 * The right side of a loop join, in batches for which the condition is evaluated without a yield. The batches are in memory as long as they fit
 * into the share of an operator that spills, and on the local disk from then on.
 */

import type { Pending } from '#base';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { RowStore } from '../../batch/row-store.ts';
import { denseSelection } from '../../batch/vector.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import { type Pause, RowList, type RowReader } from '../../spill/row-list.ts';
import { portionBytes } from '../batch-splitter.ts';
import type { QueryRun } from '../operator.ts';

export class RightRows {
  private readonly types: readonly DatumType[];
  private readonly run: QueryRun;
  private readonly site: OperatorProfile;
  /** Maximum number of rows of a batch. */
  private readonly rowsMax: number;
  private readonly reservation: MemoryReservation;
  private readonly pause: Pause;
  private batches: Batch[] = [];
  private bytes = 0;
  /** The rows of the batch that is being filled. */
  private filling: RowStore;
  /** All rows, once they do not fit into memory. */
  private list: RowList | undefined;
  /** Number of batches that have been moved to the list. */
  private moved = 0;
  /** The current pass: the next batch in memory, or the reader of the list. */
  private at = 0;
  private reader: RowReader | undefined;

  constructor(types: readonly DatumType[], rowsMax: number, run: QueryRun, site: OperatorProfile) {
    this.types = types;
    this.rowsMax = rowsMax;
    this.run = run;
    this.site = site;
    this.reservation = run.memory.reservation(site);
    this.pause = (work) => run.budget.pause(work);
    this.filling = new RowStore(types);
  }

  get isEmpty(): boolean {
    return this.batches.length === 0 && (this.list === undefined || this.list.length === 0);
  }

  get isSpilled(): boolean {
    return this.list !== undefined;
  }

  /** Adds rows. The caller must not change them before `settle` has returned undefined. */
  add(batch: Batch): void {
    if (this.list !== undefined) {
      this.list.append(batch);
      return;
    }
    const { length, bytes } = this.filling;
    if (length > 0 && (length + batch.count > this.rowsMax || bytes > portionBytes))
      this.endBatch();
    this.filling.append(batch);
  }

  /** Makes room for the added rows. After a wait, call it again. */
  settle(): Pending | undefined {
    if (this.list === undefined) {
      if (this.reservation.fits(this.bytes + this.filling.bytes)) return undefined;
      this.endBatch();
      this.list = new RowList(this.types, this.run.memory, this.site);
    }
    return this.move(this.list) ?? this.list.settle(this.pause);
  }

  /** Ends adding. Returns a wait until the rows can be read; after it, call it again. */
  finish(): Pending | undefined {
    if (this.filling.length > 0) this.endBatch();
    return this.list?.flush();
  }

  /** Begins a pass through all rows. */
  restart(): void {
    this.at = 0;
    this.reader = this.list?.reader();
  }

  /** Returns the next batch of the pass; undefined if there is none. */
  next(): Batch | undefined {
    return this.reader === undefined ? this.batches[this.at++] : this.reader.read(this.rowsMax);
  }

  /** Discards all rows. */
  clear(): void {
    this.list?.clear();
    this.list = undefined;
    this.batches = [];
    this.moved = 0;
    this.bytes = 0;
    this.filling = new RowStore(this.types);
    this.reader = undefined;
    this.reservation.resize(0);
  }

  private endBatch(): void {
    const { length, bytes } = this.filling;
    const columns = this.filling.window(0, length);
    this.batches.push({ columns, selection: denseSelection, count: length });
    this.bytes += bytes;
    this.filling = new RowStore(this.types);
  }

  /** Moves the batches in memory to the list. */
  private move(list: RowList): Pending | undefined {
    for (; this.moved < this.batches.length; this.moved++) {
      const wait = list.settle(this.pause);
      if (wait !== undefined) return wait;
      list.append(this.batches[this.moved] as Batch);
    }
    if (this.batches.length === 0) return undefined;
    const wait = list.settle(this.pause);
    if (wait !== undefined) return wait;
    this.batches = [];
    this.moved = 0;
    this.reservation.resize(0);
    return undefined;
  }
}
