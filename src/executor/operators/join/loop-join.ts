/** Joins by any condition: the right side is materialized in batches, and each left row is compared with all of them. */

import type { Pending } from '#base';
import type { LoopJoinPlan } from '#planner';
import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../../batch/vector.ts';
import { compile } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import {
  lengthOf,
  looksThroughTexts,
  portionBytes,
  textColumnIndexes,
  withSmallBatches,
} from '../batch-splitter.ts';
import { rowsInOneGo } from '../expression-size.ts';
import { isVariant } from '../is-repeatable.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { JoinOutput } from './join-output.ts';

export class LoopJoin implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly plan: LoopJoinPlan;
  private readonly left: Operator;
  private readonly right: Operator;
  private readonly on: Select;
  /** Maximum number of rows for which the condition is evaluated without a yield. */
  private readonly rowsMax: number;
  private readonly reservation: MemoryReservation;
  private readonly out: JoinOutput;
  private readonly passed = new Uint32Array(batchRowsMax);
  /** The left row repeated for a whole right batch, as input of the condition. */
  private readonly broadcast: readonly Vector[];
  private held: RowStore;
  private chunks: Batch[] = [];
  private chunksBytes = 0;
  private isBuilt = false;
  private batch: Batch | undefined;
  private at = 0;
  /** The next right batch for the current left row, and the number of its rows that were compared. */
  private chunk = 0;
  private met = 0;
  /** Indexes of left text columns; the evaluation time of the condition grows with their length. */
  private readonly longColumnIndexes: readonly number[];
  private leftBytes = 0;
  private isMatched = false;

  constructor(
    plan: LoopJoinPlan,
    inputs: readonly Operator[],
    run: QueryRun,
    site: OperatorProfile,
  ) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    this.left = inputs[0] as Operator;
    this.rowsMax = rowsInOneGo([plan.on]);
    this.right = withSmallBatches(inputs[1] as Operator, plan.right, [plan.on], run);
    this.longColumnIndexes = looksThroughTexts(plan.on) ? textColumnIndexes(plan.left) : [];
    this.on = selectTrue(compile(plan.on, run.frame));
    this.reservation = run.memory.reservation(site);
    this.out = new JoinOutput(plan.output.length, plan.left.output.length, batchRowsMax);
    this.broadcast = plan.left.output.map(() => []);
    this.held = this.emptyStore();
  }

  open(): void {
    this.left.open();
    this.batch = undefined;
    this.out.clear();
    if (this.isBuilt && !isVariant(this.plan.right)) return;
    this.right.open();
    this.forget();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const target = Math.min(wanted, batchRowsMax);
    const wait = this.isBuilt ? undefined : this.build();
    if (wait !== undefined) return wait;
    if (this.chunks.length === 0 && this.plan.join === 'inner') return undefined;
    for (;;) {
      const wait = this.batch === undefined ? this.read(target) : undefined;
      if (wait !== undefined) return wait;
      if (this.batch === undefined) return this.emit();
      const pause = this.joinRows(this.batch, target);
      if (pause !== undefined) return pause;
      if (this.out.kept >= target || !this.out.hasRoom(batchRowsMax)) {
        const result = this.emit();
        if (result !== undefined) return result;
      }
    }
  }

  close(): void {
    this.left.close();
    this.right.close();
    // The right side is kept for the next run, if that will need the same rows.
    if (!this.isBuilt || isVariant(this.plan.right)) this.forget();
  }

  private forget(): void {
    this.held = this.emptyStore();
    this.chunks = [];
    this.chunksBytes = 0;
    this.isBuilt = false;
    this.reservation.resize(0);
  }

  private emptyStore(): RowStore {
    return new RowStore(this.plan.right.output.map((column) => column.type));
  }

  private emit(): Batch | undefined {
    const result = this.out.take();
    if (result !== undefined) this.site.rowsOut += result.count;
    return result;
  }

  private build(): Pending | undefined {
    for (;;) {
      const batch = this.right.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      if (
        this.held.length > 0 &&
        (this.held.length + batch.count > this.rowsMax || this.held.bytes > portionBytes)
      )
        this.endChunk();
      this.held.append(batch);
      this.reservation.resize(this.chunksBytes + this.held.bytes);
    }
    this.right.close();
    if (this.held.length > 0) this.endChunk();
    this.isBuilt = true;
    return undefined;
  }

  private endChunk(): void {
    const { length, bytes } = this.held;
    const columns = this.held.window(0, length);
    this.chunks.push({ columns, selection: denseSelection, count: length });
    this.chunksBytes += bytes;
    this.held = this.emptyStore();
  }

  private read(target: number): Pending | undefined {
    const batch = this.left.next(target);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.batch = batch;
    this.at = 0;
    this.startRow();
    return undefined;
  }

  private startRow(): void {
    this.chunk = 0;
    this.met = 0;
    this.isMatched = false;
  }

  /** Joins left rows until the output has enough rows, or too little space. */
  private joinRows(left: Batch, target: number): Pending | undefined {
    while (this.at < left.count) {
      const row = left.selection[this.at] as number;
      if (this.longColumnIndexes.length > 0) this.leftBytes = this.lengthOf(left, row);
      while (this.chunk < this.chunks.length) {
        const right = this.part(this.chunks[this.chunk] as Batch);
        if (this.out.kept >= target || !this.out.hasRoom(right.count)) return undefined;
        const wait = this.run.budget.pause(this.workOf(right.count));
        if (wait !== undefined) return wait;
        this.meet(left, row, right);
        this.passOver(right.count);
      }
      if (!this.out.hasRoom(1)) return undefined;
      if (!this.isMatched && this.plan.join === 'left') this.out.addUnmatched(left, row);
      this.at++;
      this.startRow();
    }
    this.batch = undefined;
    return undefined;
  }

  private workOf(count: number): number {
    return count * (batchRowsMax / this.rowsMax + (this.leftBytes >>> 10));
  }

  private lengthOf(left: Batch, row: number): number {
    let bytes = 0;
    for (const columnIndex of this.longColumnIndexes)
      bytes += lengthOf((left.columns[columnIndex] as Vector)[row] as Datum);
    return bytes;
  }

  /** Returns the next rows of a right batch to compare: fewer than all if the texts of the left row are long. */
  private part(chunk: Batch): Batch {
    const count = Math.max(1, Math.floor(portionBytes / (this.leftBytes + 1)));
    if (this.met === 0 && count >= chunk.count) return chunk;
    const selection = denseSelection.subarray(this.met, Math.min(chunk.count, this.met + count));
    return { columns: chunk.columns, selection, count: selection.length };
  }

  private passOver(count: number): void {
    this.met += count;
    if (this.met < (this.chunks[this.chunk] as Batch).count) return;
    this.chunk++;
    this.met = 0;
  }

  private meet(left: Batch, row: number, right: Batch): void {
    const from = right.selection[0] as number;
    for (let c = 0; c < this.broadcast.length; c++) {
      const value = (left.columns[c] as Vector)[row] as Datum;
      const column = this.broadcast[c] as Vector;
      for (let i = from; i < from + right.count; i++) column[i] = value;
    }
    this.run.current = this.site;
    const columns = [...this.broadcast, ...right.columns];
    const count = this.on(columns, right.selection, right.count, this.passed);
    if (count === 0) return;
    this.isMatched = true;
    this.out.add(left, row, { columns: right.columns, selection: this.passed, count });
  }
}
