/**
 * Joins two inputs that arrive in the order of their keys, if either may have many rows of a key. The join buffers the rows of one key at a time
 * from one side, and pairs each row of the streaming side with all of them.
 */

import type { Pending } from '#base';
import type { MergeJoinPlan } from '#planner';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { ChunkedColumn } from '../../batch/chunked-column.ts';
import { gatherRows, gatherStoredRows } from '../../batch/gather-rows.ts';
import { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../../batch/vector.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { MergeSides } from './merge-sides.ts';

/** Processing a batch of the streaming side, or assembling a batch of pairs, takes about as long as processing this many rows. */
const workOfBatch = 256;
/** Minimum number of rows of finished keys before they are dropped, because dropping them copies the other rows. */
const staleRowsMin = 1024;

export class GroupedMergeJoin implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly plan: MergeJoinPlan;
  private readonly isOuter: boolean;
  private readonly sides: MergeSides;
  private readonly reservation: MemoryReservation;
  private readonly out: DenseBatch;
  /** The batch of the streaming side, and the index in its selection of the next row. */
  private batch: Batch | undefined;
  private at = 0;
  /** Whether the group of the row at `at` is found. Its pairs with the rows of `rows` before `member` are collected already. */
  private isFound = false;
  private member = 0;
  /**
   * Buffered rows: first those of finished keys, then [groupFrom, groupTo) with the key that was found last. This range is empty if nothing
   * matched.
   */
  private rows: RowStore;
  private groupFrom = 0;
  private groupTo = 0;
  private isGathering = false;
  /** Rows of the buffered side's batch that `flushTaken` appends to `rows`. */
  private readonly taken = new Uint32Array(batchRowsMax);
  private takenCount = 0;
  /** Pairs: a row of the batch, and one of `rows` (-1 if there is none). */
  private readonly pairStream = new Uint32Array(batchRowsMax);
  private readonly pairHeld = new Int32Array(batchRowsMax);
  private count = 0;

  constructor(
    plan: MergeJoinPlan,
    inputs: readonly Operator[],
    run: QueryRun,
    site: OperatorProfile,
  ) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    this.isOuter = plan.join === 'left';
    this.sides = new MergeSides(plan, inputs);
    this.reservation = run.memory.reservation(site);
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
    this.reservation.resize(0);
  }

  /** Returns an empty store with the columns that the operators above read. */
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

  /** Collects pairs up to a full batch, or up to the end of the stream's batch. After a wait, call it again. */
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

  /** Finds the group of buffered rows that match the row. After a wait, call it again. */
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

  /** Like `MergeSides.advance`; before a batch becomes invalid, its matching rows are copied. */
  private advance(): Pending | undefined {
    const { sides } = this;
    if (sides.batch !== undefined && sides.at < sides.batch.count) return undefined;
    this.flushTaken();
    return sides.advance();
  }

  private flushTaken(): void {
    const { batch, heldRead } = this.sides;
    if (this.takenCount === 0 || batch === undefined) return;
    const columns = heldRead.map((c) => batch.columns[c] as Vector);
    this.rows.append({ columns, selection: this.taken, count: this.takenCount });
    this.takenCount = 0;
    this.reservation.resize(this.rows.bytes);
  }

  private emit(batch: Batch): Batch {
    this.flushTaken();
    const { count, out, pairHeld, pairStream, sides } = this;
    for (let c = 0; c < batch.columns.length; c++) {
      const to = out.columns[sides.streamStart + c] as Vector;
      gatherRows(batch.columns[c] as Vector, pairStream, denseSelection, count, to);
    }
    sides.heldRead.forEach((c, i) => {
      const to = out.columns[sides.heldStart + c] as Vector;
      gatherStoredRows(this.rows.columns[i] as ChunkedColumn, pairHeld, denseSelection, count, to);
    });
    this.count = 0;
    this.release();
    out.count = count;
    this.site.rowsOut += count;
    return out;
  }

  /** Drops the rows of finished keys, unless there are fewer of them than `staleRowsMin`, or fewer than of other rows. */
  private release(): void {
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
    this.reservation.resize(this.rows.bytes);
  }
}
