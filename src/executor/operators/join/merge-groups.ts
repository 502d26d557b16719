/**
 * Joins two inputs that come in the order of their keys, where either may have many rows of a key: the held rows of one key at a time are kept, and
 * each row of the stream meets all of them.
 */

import type { Pending } from '#base';
import type { MergeJoinPlan } from '#planner';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { Pieces } from '../../batch/pieces.ts';
import { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../../batch/vector.ts';
import type { Holding } from '../../memory.ts';
import type { Site } from '../../site.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { MergeSides } from './merge-sides.ts';
import { pairColumn, pairHeldColumn } from './pairs.ts';

/** Going through a batch of the stream, or putting a batch of pairs together, takes about as long as handling so many rows. */
const workOfBatch = 256;
/** So many rows of keys that are over are kept at least: letting go of them copies the others. */
const staleRowsMin = 1024;

export class GroupedMergeJoin implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly plan: MergeJoinPlan;
  private readonly isOuter: boolean;
  private readonly sides: MergeSides;
  private readonly holding: Holding;
  private readonly out: DenseBatch;
  /** Of the stream; where in its selection the next row is. */
  private batch: Batch | undefined;
  private at = 0;
  /** The group of the row at `at` has been found, and of its pairs those up to row `member` of `rows` have been collected. */
  private isFound = false;
  private member = 0;
  /** Held rows of the key that was found last, after rows of keys that are over: [groupFrom, groupTo), none where nothing matched. */
  private rows: RowStore;
  private groupFrom = 0;
  private groupTo = 0;
  private isGathering = false;
  /** Rows of the held batch that belong behind `rows`. */
  private readonly taken = new Uint32Array(batchRowsMax);
  private takenCount = 0;
  /** Pairs: a row of the batch, and one of `rows`, -1 for none. */
  private readonly pairStream = new Uint32Array(batchRowsMax);
  private readonly pairHeld = new Int32Array(batchRowsMax);
  private count = 0;

  constructor(plan: MergeJoinPlan, inputs: readonly Operator[], run: QueryRun, site: Site) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    this.isOuter = plan.join === 'left';
    this.sides = new MergeSides(plan, inputs);
    this.holding = run.memory.holding(site);
    this.out = new DenseBatch(plan.output.length);
    this.rows = this.emptyRows();
  }

  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.sides.narrowTo(columnIndexes);
    this.rows = this.emptyRows();
  }

  open(): void {
    this.sides.open();
    this.batch = undefined;
    this.forget();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    for (;;) {
      const wait = this.batch === undefined ? this.read(wanted) : undefined;
      if (wait !== undefined) return wait;
      if (this.batch === undefined) return undefined;
      const pending = this.collect(this.batch) ?? this.run.budget.pause(workOfBatch);
      if (pending !== undefined) return pending;
      const joined = this.count > 0 ? this.emit(this.batch) : undefined;
      if (this.at >= this.batch.count) this.batch = undefined;
      if (joined !== undefined) return joined;
    }
  }

  close(): void {
    this.sides.close();
    this.forget();
  }

  private forget(): void {
    this.rows = this.emptyRows();
    this.groupFrom = 0;
    this.groupTo = 0;
    this.takenCount = 0;
    this.count = 0;
    this.isFound = false;
    this.isGathering = false;
    this.holding.resize(0);
  }

  /** Of the columns that somebody reads. */
  private emptyRows(): RowStore {
    const { held, left, right } = this.plan;
    const { output } = held === 'left' ? left : right;
    return new RowStore(this.sides.heldRead.map((c) => (output[c] as (typeof output)[0]).type));
  }

  private read(wanted: number): Pending | undefined {
    const isOver = this.sides.isDone && this.groupFrom === this.groupTo;
    if (isOver && !this.isOuter) return undefined;
    const batch = this.sides.next(wanted);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.batch = batch;
    this.at = 0;
    return undefined;
  }

  /** Collects pairs up to a full batch, or to the end of the stream's; after a wait to be called again. */
  private collect(batch: Batch): Pending | undefined {
    while (this.at < batch.count && this.count < batchRowsMax) {
      const row = batch.selection[this.at] as number;
      if (!this.isFound) {
        const wait = this.find(row);
        if (wait !== undefined) return wait;
        this.isFound = true;
        this.member = this.groupFrom;
        if (this.isOuter && this.groupFrom === this.groupTo) this.pair(row, -1);
      }
      while (this.member < this.groupTo && this.count < batchRowsMax) this.pair(row, this.member++);
      if (this.member < this.groupTo) return undefined;
      this.at++;
      this.isFound = false;
    }
    return undefined;
  }

  private pair(row: number, held: number): void {
    this.pairStream[this.count] = row;
    this.pairHeld[this.count++] = held;
  }

  /** The group of held rows that match the row; after a wait to be called again. */
  private find(row: number): Pending | undefined {
    const { sides } = this;
    if (!this.isGathering) {
      if (this.groupFrom < this.groupTo && sides.keys.isKept(row)) return undefined;
      this.groupFrom = this.groupTo;
    }
    for (;;) {
      const wait = this.advance();
      if (wait !== undefined) return wait;
      const held = sides.batch;
      const order =
        held === undefined ? -1 : sides.keys.compare(row, held.selection[sides.at] as number);
      if (order < 0) break;
      if (order === 0) this.take((held as Batch).selection[sides.at] as number);
      sides.at++;
    }
    if (this.isGathering) sides.keys.keep(row);
    this.isGathering = false;
    return undefined;
  }

  private take(heldRow: number): void {
    this.isGathering = true;
    this.taken[this.takenCount++] = heldRow;
    this.groupTo++;
  }

  /** As that of the sides; what has been taken of a batch is put down before the batch is gone. */
  private advance(): Pending | undefined {
    const { sides } = this;
    if (sides.batch !== undefined && sides.at < sides.batch.count) return undefined;
    this.putDown();
    return sides.advance();
  }

  private putDown(): void {
    const { batch, heldRead } = this.sides;
    if (this.takenCount === 0 || batch === undefined) return;
    const columns = heldRead.map((c) => batch.columns[c] as Vector);
    this.rows.append({ columns, selection: this.taken, count: this.takenCount });
    this.takenCount = 0;
    this.holding.resize(this.rows.bytes);
  }

  private emit(batch: Batch): Batch {
    this.putDown();
    const { count, out, pairHeld, pairStream, sides } = this;
    for (let c = 0; c < batch.columns.length; c++) {
      const to = out.columns[sides.streamStart + c] as Vector;
      pairColumn(batch.columns[c] as Vector, pairStream, denseSelection, count, to);
    }
    sides.heldRead.forEach((c, i) => {
      const to = out.columns[sides.heldStart + c] as Vector;
      pairHeldColumn(this.rows.columns[i] as Pieces, pairHeld, denseSelection, count, to);
    });
    this.count = 0;
    this.letGo();
    out.count = count;
    this.site.rowsOut += count;
    return out;
  }

  /** Lets go of rows of keys that are over, once they are as many as those that are left. */
  private letGo(): void {
    const { groupFrom, groupTo } = this;
    if (groupFrom < Math.max(staleRowsMin, groupTo - groupFrom)) return;
    const old = this.rows;
    this.rows = this.emptyRows();
    for (let from = groupFrom; from < groupTo; from += batchRowsMax) {
      const count = Math.min(batchRowsMax, groupTo - from);
      const columns = old.window(from, from + count);
      this.rows.append({ columns, selection: denseSelection, count });
    }
    this.member -= groupFrom;
    this.groupTo -= groupFrom;
    this.groupFrom = 0;
    this.holding.resize(this.rows.bytes);
  }
}
