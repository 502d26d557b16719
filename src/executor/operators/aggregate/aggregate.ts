/** Hash aggregation: a batch is first turned into group numbers, then each fold runs one loop over it. */

import type { Pending } from '#base';
import type { AggregatePlan, PlanFold } from '#planner';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { KeyTable } from '../../batch/key-table.ts';
import { RowStore, windowEnd } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection, Scratch, type Vector } from '../../batch/vector.ts';
import { compile, compileAll } from '../../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../../kernels/kernel.ts';
import type { Holding } from '../../memory.ts';
import type { Site } from '../../site.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { type Fold, foldOf } from './fold.ts';

export class Aggregate implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly plan: AggregatePlan;
  private readonly types: readonly DatumType[];
  private readonly groupKernels: readonly Kernel[];
  private readonly foldKernels: readonly (Kernel | undefined)[];
  private readonly holding: Holding;
  private readonly numbers = new Int32Array(batchRowsMax);
  private readonly scratch = new Scratch();
  private groups: KeyTable;
  /** The key of each group. */
  private keys: RowStore;
  private folds: readonly Fold[];
  private output: readonly Vector[] | undefined;
  private at = 0;

  constructor(plan: AggregatePlan, input: Operator, run: QueryRun, site: Site) {
    this.site = site;
    this.run = run;
    this.input = input;
    this.plan = plan;
    this.types = plan.groups.map((group) => group.type);
    this.groupKernels = compileAll(plan.groups, run.frame);
    this.foldKernels = plan.folds.map(({ argument }: PlanFold) =>
      argument === undefined ? undefined : compile(argument, run.frame),
    );
    this.holding = run.memory.holding(site);
    this.groups = new KeyTable(this.types, true);
    this.keys = new RowStore(this.types);
    this.folds = plan.folds.map(foldOf);
  }

  open(): void {
    this.input.open();
    this.groups = new KeyTable(this.types, true);
    this.keys = new RowStore(this.types);
    this.folds = this.plan.folds.map(foldOf);
    this.output = undefined;
    this.at = 0;
    this.holding.resize(0);
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const wait = this.output === undefined ? this.consume() : undefined;
    if (wait !== undefined) return wait;
    this.output ??= this.finish();
    const from = this.at;
    const to = windowEnd(from, this.groupCount, wanted);
    if (from === to) return undefined;
    this.at = to;
    this.site.rowsOut += to - from;
    const columns = this.output.map((column) => column.slice(from, to));
    return { columns, selection: denseSelection, count: to - from };
  }

  close(): void {
    this.input.close();
    this.holding.resize(0);
  }

  private get groupCount(): number {
    return this.plan.isGlobal ? 1 : this.groups.size;
  }

  private consume(): Pending | undefined {
    for (;;) {
      const batch = this.input.next(batchRowsMax);
      if (batch === undefined) return undefined;
      if (batch instanceof Promise) return batch;
      this.run.current = this.site;
      this.numberGroups(batch);
      this.feed(batch);
      this.holding.resize(this.heldBytes());
    }
  }

  private numberGroups(batch: Batch): void {
    // A global aggregate has the one group 0: the numbers are zero from the start.
    if (this.plan.isGlobal) return;
    const columns = this.groupKernels.map((kernel) => evaluateBatch(kernel, batch));
    const known = this.groups.size;
    this.groups.insert(columns, batch.selection, batch.count, this.numbers);
    if (this.groups.size === known) return;
    const selection = this.scratch.take(batch.count);
    let count = 0;
    for (let i = 0; i < batch.count; i++) {
      const row = batch.selection[i] as number;
      if (this.numbers[row] === known + count) selection[count++] = row;
    }
    this.keys.append({ columns, selection, count });
  }

  private feed(batch: Batch): void {
    for (let f = 0; f < this.folds.length; f++) {
      const kernel = this.foldKernels[f];
      const values = kernel === undefined ? undefined : evaluateBatch(kernel, batch);
      const { selection, count } = batch;
      (this.folds[f] as Fold).update(values, this.numbers, selection, count, this.groupCount);
    }
  }

  private heldBytes(): number {
    return this.groups.bytes + this.keys.bytes + this.groupCount * this.folds.length * 24;
  }

  private finish(): readonly Vector[] {
    this.run.current = this.site;
    const folds = this.folds.map((fold) => fold.finish(this.groupCount));
    return [...this.keys.columns, ...folds];
  }
}
