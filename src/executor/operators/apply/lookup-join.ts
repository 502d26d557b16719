/** Joins each left row with the rows that the right plan returns for it. */

import type { Pending } from '#base';
import type { LookupJoinPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import { JoinOutput, type Span } from '../join/join-output.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Apply } from './apply.ts';
import { RowSpan } from './output.ts';
import { Residual } from './residual.ts';

export class LookupJoin implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly isLeft: boolean;
  private readonly left: Operator;
  private readonly right: Apply<Span>;
  private readonly residual: Residual | undefined;
  private readonly out: JoinOutput;
  private batch: Batch | undefined;
  /** Index of the current left row in the selection of `batch`. */
  private at = 0;
  /** Right rows of the current left row (`rows`), the next of them (`from`), and whether no further rows follow (`isLast`). */
  private rows: Span | undefined;
  private from = 0;
  private isLast = false;
  /** Whether a pair of the current left row was kept. */
  private isMatched = false;

  constructor(
    plan: LookupJoinPlan,
    inputs: readonly Operator[],
    run: QueryRun,
    site: OperatorProfile,
  ) {
    this.site = site;
    this.run = run;
    this.isLeft = plan.join === 'left';
    this.left = inputs[0] as Operator;
    const typesOf = ({ output }: LookupJoinPlan['left']) => output.map(({ type }) => type);
    const inner = { operator: inputs[1] as Operator, outerTypes: typesOf(plan.left), run };
    const applied = { ...plan, plan: plan.right };
    this.right = new Apply(applied, inner, new RowSpan(typesOf(plan.right)));
    const { residual } = plan;
    this.residual = residual && new Residual(residual, plan, run.frame);
    const { bytes, rowsMax } = this.residual ?? { bytes: 0, rowsMax: batchRowsMax };
    if (bytes > 0) run.memory.reservation(inner.operator.site).resize(bytes);
    this.out = new JoinOutput(plan.output.length, plan.left.output.length, rowsMax);
  }

  open(): void {
    this.left.open();
    this.right.forget();
    this.batch = undefined;
    this.endRow();
    this.out.clear();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const target = Math.min(wanted, batchRowsMax);
    for (;;) {
      if (this.batch === undefined) {
        const wait = this.read(target);
        if (wait !== undefined) return wait;
        if (this.batch === undefined) return this.emit();
      }
      const wait = this.joinRows(this.batch as Batch, target);
      if (wait !== undefined) return wait;
      if (this.batch === undefined && this.out.kept < target && this.out.hasRoom(1)) continue;
      const result = this.emit();
      if (result !== undefined) return result;
    }
  }

  close(): void {
    this.left.close();
    this.right.close();
  }

  private emit(): Batch | undefined {
    const result = this.out.take();
    if (result !== undefined) this.site.rowsOut += result.count;
    return result;
  }

  private read(target: number): Pending | undefined {
    const batch = this.left.next(target);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.batch = batch;
    this.at = 0;
    this.right.startBatch();
    return undefined;
  }

  /** Joins left rows until the output has enough rows, or is full. */
  private joinRows(left: Batch, target: number): Pending | undefined {
    while (this.at < left.count) {
      const wait = this.joinRow(left);
      if (wait !== undefined) return wait;
      if (!this.isRowDone(left)) return undefined;
      this.endRow();
      this.at++;
      if (this.out.kept >= target || !this.out.hasRoom(1)) break;
    }
    if (this.at >= left.count) this.batch = undefined;
    return undefined;
  }

  /** Joins the current left row with its right rows until none remain, or the output is full. */
  private joinRow(left: Batch): Pending | undefined {
    while (this.rows !== undefined || !this.isLast) {
      if (this.rows === undefined) {
        const wait = this.right.evaluate(left, this.at);
        if (wait !== undefined) return wait;
        this.rows = this.right.value as Span;
        this.from = this.rows.from;
        this.isLast = !this.right.isPart;
      }
      const wait = this.addRows(left, this.rows);
      if (wait !== undefined) return wait;
      if (this.from < this.rows.to) return undefined;
      this.rows = undefined;
    }
    return undefined;
  }

  private addRows(left: Batch, { columns, to }: Span): Pending | undefined {
    const { out, residual } = this;
    const row = left.selection[this.at] as number;
    while (this.from < to && out.room > 0) {
      const span = { columns, from: this.from, to: Math.min(to, this.from + out.room) };
      const portion = residual?.portion(span);
      const wait = portion && this.run.budget.pause(portion.work);
      if (wait !== undefined) return wait;
      span.to = portion?.to ?? span.to;
      this.run.current = this.site;
      if (out.addSpan(left, row, span, residual?.select) > 0) this.isMatched = true;
      this.from = span.to;
    }
    return undefined;
  }

  /** Returns false if right rows of the current left row remain, or the output has no space for its unmatched row. */
  private isRowDone(left: Batch): boolean {
    if (this.rows !== undefined) return false;
    if (this.isMatched || !this.isLeft) return true;
    if (!this.out.hasRoom(1)) return false;
    this.out.addUnmatched(left, left.selection[this.at] as number);
    return true;
  }

  private endRow(): void {
    this.rows = undefined;
    this.isLast = false;
    this.isMatched = false;
  }
}
