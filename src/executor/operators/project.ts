/** Returns one output row for each input row: columns are passed on, other expressions are evaluated. */

import type { Pending } from '#base';
import type { PlanExpression, ProjectPlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import type { Vector } from '../batch/vector.ts';
import { compileAll } from '../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../kernels/kernel.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import { withSmallBatches } from './batch-splitter.ts';
import { columnIndexesIn } from './expression-columns.ts';
import type { Operator, QueryRun } from './operator.ts';
import type { RunningBound } from './scan/running-bound.ts';

/** The place of a column that is not read. */
const unread: Vector = [];

export class Project implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly expressions: readonly PlanExpression[];
  private readonly kernels: readonly Kernel[];
  /** Columns that the receiver reads; undefined for all. */
  private read: ReadonlySet<number> | undefined;

  constructor(plan: ProjectPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.input = withSmallBatches(input, plan.input, plan.expressions, run);
    this.input.narrowTo?.(columnIndexesIn(plan.expressions));
    this.expressions = plan.expressions;
    this.kernels = compileAll(plan.expressions, run.frame);
  }

  open(): void {
    this.input.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const batch = this.input.next(wanted);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.run.current = this.site;
    const columns: Vector[] = [];
    for (let c = 0; c < this.kernels.length; c++) {
      columns.push(this.isRead(c) ? evaluateBatch(this.kernels[c] as Kernel, batch) : unread);
    }
    this.site.rowsOut += batch.count;
    const { selection, count } = batch;
    return { columns, selection, count, sources: this.sourcesOf(batch) };
  }

  get isRepeatable(): boolean {
    return this.input.isRepeatable === true && !this.kernels.some((kernel) => kernel.canFail);
  }

  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.read = columnIndexes;
    const read = this.expressions.filter((_, c) => this.isRead(c));
    this.input.narrowTo?.(columnIndexesIn(read));
  }

  leaveOut(rows: number): boolean {
    if (this.kernels.some((kernel) => kernel.canFail)) return false;
    return this.input.leaveOut?.(rows) === true;
  }

  private isRead(c: number): boolean {
    return this.read?.has(c) !== false || (this.kernels[c] as Kernel).canFail;
  }

  private sourcesOf({ sources }: Batch): Batch['sources'] {
    if (sources === undefined) return undefined;
    return this.expressions.map((expression) =>
      expression.kind === 'column' ? sources[expression.columnIndex] : undefined,
    );
  }

  close(): void {
    this.input.close();
  }

  bound(columnIndex: number): RunningBound | undefined {
    const expression = this.expressions[columnIndex];
    if (expression?.kind !== 'column' || this.kernels.some((kernel) => kernel.canFail)) {
      return undefined;
    }
    return this.input.bound?.(expression.columnIndex);
  }
}
