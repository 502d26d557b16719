/** Keeps the rows whose predicate is TRUE by narrowing the selection. */

import type { Pending } from '#base';
import type { FilterPlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import { batchRowsMax, Scratch, type Selection } from '../batch/vector.ts';
import { compile } from '../kernels/compile.ts';
import { type Kernel, type Select, selectTrue } from '../kernels/kernel.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import { withSmallBatches } from './batch-splitter.ts';
import { columnIndexesIn } from './expression-columns.ts';
import type { Operator, QueryRun } from './operator.ts';
import type { RunningBound } from './scan/running-bound.ts';

export class Filter implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly predicate: Kernel;
  /** Columns that the predicate reads. */
  private readonly columnIndexes: ReadonlySet<number>;
  private readonly select: Select;
  private readonly scratch = new Scratch();

  constructor(plan: FilterPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.input = withSmallBatches(input, plan.input, [plan.predicate], run);
    this.predicate = compile(plan.predicate, run.frame);
    this.columnIndexes = columnIndexesIn([plan.predicate]);
    this.select = selectTrue(this.predicate);
  }

  open(): void {
    this.input.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    // A consumer that requests few rows might still need many of the input: request more each time that no row passes.
    for (let ask = wanted; ; ask = Math.min(ask * 4, batchRowsMax)) {
      const batch = this.input.next(ask);
      if (batch === undefined || batch instanceof Promise) return batch;
      if (batch.isNarrowed === true) return this.passed(batch, batch.selection, batch.count);
      const selection = this.scratch.take(batch.count);
      this.run.current = this.site;
      const count = this.select(batch.columns, batch.selection, batch.count, selection);
      if (count > 0) return this.passed(batch, selection, count);
    }
  }

  /** Returns the passing rows without `isNarrowed`, which is not valid for a second filter above this one. */
  private passed({ columns, sources }: Batch, selection: Selection, count: number): Batch {
    this.site.rowsOut += count;
    return { columns, selection, count, sources };
  }

  close(): void {
    this.input.close();
  }

  get isRepeatable(): boolean {
    return this.input.isRepeatable === true;
  }

  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.input.narrowTo?.(columnIndexes.union(this.columnIndexes));
  }

  bound(columnIndex: number): RunningBound | undefined {
    return this.predicate.canFail ? undefined : this.input.bound?.(columnIndex);
  }
}
