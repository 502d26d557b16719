/**
 * Joins by any condition: the right side is materialized, and each left row is compared with all of its rows. If the right side exceeds the
 * memory of the program, it is read from disk once for each left batch.
 */

import type { Pending } from '#base';
import type { LoopJoinPlan } from '#planner';
import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax, denseSelection, type Vector } from '../../batch/vector.ts';
import { compile } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
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
import { RightRows } from './right-rows.ts';

export class LoopJoin implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly plan: LoopJoinPlan;
  private readonly left: Operator;
  private readonly right: Operator;
  private readonly on: Select;
  /** Maximum number of rows for which the condition is evaluated without a yield. */
  private readonly rowsMax: number;
  private readonly held: RightRows;
  private readonly out: JoinOutput;
  private readonly passed = new Uint32Array(batchRowsMax);
  /** The left row repeated for a whole right batch, as input of the condition. */
  private readonly broadcast: readonly Vector[];
  private isBuilt = false;
  private batch: Batch | undefined;
  /** The next left row, and whether a pair of each left row was kept. */
  private at = 0;
  private readonly matched = new Uint8Array(batchRowsMax);
  /** The right batch that is being compared with the left batch, and the number of its rows that were compared with the next left row. */
  private chunk: Batch | undefined;
  private met = 0;
  /** Whether all right batches were compared with the left batch. */
  private isCompared = false;
  /** Indexes of left text columns; the evaluation time of the condition grows with their length. */
  private readonly longColumnIndexes: readonly number[];
  private leftBytes = 0;

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
    this.out = new JoinOutput(plan.output.length, plan.left.output.length, batchRowsMax);
    this.broadcast = plan.left.output.map(() => []);
    const types = plan.right.output.map((column) => column.type);
    this.held = new RightRows(types, this.rowsMax, run, site);
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
    if (this.held.isEmpty && this.plan.join === 'inner') return undefined;
    for (;;) {
      const wait = this.batch === undefined ? this.read(target) : undefined;
      if (wait !== undefined) return wait;
      if (this.batch === undefined) return this.emit();
      const pause = this.joinBatch(this.batch, target);
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
    // The right side is kept in memory for the next run, if that will need the same rows.
    if (!this.isBuilt || this.held.isSpilled || isVariant(this.plan.right)) this.forget();
  }

  private forget(): void {
    this.held.clear();
    this.isBuilt = false;
  }

  private emit(): Batch | undefined {
    const result = this.out.take();
    if (result !== undefined) this.site.rowsOut += result.count;
    return result;
  }

  private build(): Pending | undefined {
    for (;;) {
      const wait = this.held.settle();
      if (wait !== undefined) return wait;
      const batch = this.right.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.held.add(batch);
    }
    const wait = this.held.finish();
    if (wait !== undefined) return wait;
    this.right.close();
    this.isBuilt = true;
    return undefined;
  }

  private read(target: number): Pending | undefined {
    const batch = this.left.next(target);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.batch = batch;
    this.held.restart();
    this.matched.fill(0);
    this.chunk = undefined;
    this.isCompared = false;
    return undefined;
  }

  /** Joins the left batch until the output has enough rows, or too little space. */
  private joinBatch(left: Batch, target: number): Pending | undefined {
    while (!this.isCompared) {
      this.chunk ??= this.nextChunk();
      if (this.chunk === undefined) break;
      const wait = this.joinRows(left, this.chunk, target);
      if (wait !== undefined) return wait;
      if (this.at < left.count) return undefined;
      this.chunk = undefined;
    }
    if (this.plan.join === 'left' && !this.addUnmatched(left)) return undefined;
    this.batch = undefined;
    return undefined;
  }

  /** Returns the next right batch, for the first left row; undefined at the end, for the unmatched rows. */
  private nextChunk(): Batch | undefined {
    const chunk = this.held.next();
    this.isCompared = chunk === undefined;
    this.at = 0;
    this.met = 0;
    return chunk;
  }

  /** Joins left rows with a right batch. */
  private joinRows(left: Batch, chunk: Batch, target: number): Pending | undefined {
    for (; this.at < left.count; this.at++, this.met = 0) {
      const row = left.selection[this.at] as number;
      if (this.longColumnIndexes.length > 0) this.leftBytes = this.lengthOf(left, row);
      while (this.met < chunk.count) {
        const right = this.part(chunk);
        if (this.out.kept >= target || !this.out.hasRoom(right.count)) return undefined;
        const wait = this.run.budget.pause(this.workOf(right.count));
        if (wait !== undefined) return wait;
        this.meet(left, row, right);
        this.met += right.count;
      }
    }
    return undefined;
  }

  /** Adds the left rows without a match; returns false if the output has no space for all. */
  private addUnmatched(left: Batch): boolean {
    for (; this.at < left.count; this.at++) {
      const row = left.selection[this.at] as number;
      if (this.matched[row] === 1) continue;
      if (!this.out.hasRoom(1)) return false;
      this.out.addUnmatched(left, row);
    }
    return true;
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
    this.matched[row] = 1;
    this.out.add(left, row, { columns: right.columns, selection: this.passed, count });
  }
}
