/** Hash aggregation: a batch is first turned into group numbers, then each fold runs one loop over it. */

import type { Pending } from '#base';
import type { AggregatePlan, PlanFold } from '#planner';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { KeyTable } from '../../batch/key-table.ts';
import { slotBytes } from '../../batch/prices.ts';
import { RowStore, windowEnd } from '../../batch/row-store.ts';
import type { ValueSource } from '../../batch/value-source.ts';
import { batchRowsMax, type Datums, denseSelection, Scratch } from '../../batch/vector.ts';
import { compile, compileAll } from '../../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../../kernels/kernel.ts';
import type { Holding } from '../../memory.ts';
import type { Site } from '../../site.ts';
import { rowsOfTerms } from '../expression-size.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { portioned } from '../portions.ts';
import type { Fold } from './fold.ts';
import { foldOf } from './fold-of.ts';

/** Of one fold in one group: its state (of an average two) and its result. */
const groupBytes = 3 * slotBytes;

export class Aggregate implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly plan: AggregatePlan;
  private readonly types: readonly DatumType[];
  private readonly groupKernels: readonly Kernel[];
  private readonly foldKernels: readonly (Kernel | undefined)[];
  private readonly holding: Holding;
  /** Groups that are finished, or handed on, in one go. */
  private readonly rowsMax: number;
  private readonly numbers = new Int32Array(batchRowsMax);
  private readonly scratch = new Scratch();
  private groups: KeyTable;
  /** The key of each group. */
  private keys: RowStore;
  private folds: readonly Fold[];
  /** The results of each fold, as far as they are made: for all groups before the first one goes out. */
  private results: readonly Datums[] = [];
  private isRead = false;
  private finished = 0;
  private at = 0;

  constructor(plan: AggregatePlan, input: Operator, run: QueryRun, site: Site) {
    this.site = site;
    this.run = run;
    const folded = plan.folds.flatMap(({ argument }) => argument ?? []);
    this.input = portioned(input, plan.input, [...plan.groups, ...folded], run);
    this.plan = plan;
    this.types = plan.groups.map((group) => group.type);
    this.groupKernels = compileAll(plan.groups, run.frame);
    this.foldKernels = plan.folds.map(({ argument }: PlanFold) =>
      argument === undefined ? undefined : compile(argument, run.frame),
    );
    this.rowsMax = rowsOfTerms(plan.output.length);
    this.holding = run.memory.holding(site);
    this.groups = new KeyTable(this.types, true);
    this.keys = new RowStore(this.types);
    this.folds = plan.folds.map(foldOf);
  }

  open(): void {
    this.input.open();
    this.forget();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const wait = (this.isRead ? undefined : this.consume()) ?? this.finish();
    if (wait !== undefined) return wait;
    const from = this.at;
    const to = windowEnd(from, this.groupCount, Math.min(wanted, this.rowsMax));
    if (from === to) return undefined;
    const pause = this.run.budget.pause(this.workOf(to - from));
    if (pause !== undefined) return pause;
    this.at = to;
    this.site.rowsOut += to - from;
    const results = this.results.map((column) => column.slice(from, to));
    const columns = [...this.keys.window(from, to), ...results];
    return { columns, selection: denseSelection, count: to - from };
  }

  close(): void {
    this.input.close();
    this.forget();
  }

  private forget(): void {
    this.groups = new KeyTable(this.types, true);
    this.keys = new RowStore(this.types);
    this.folds = this.plan.folds.map(foldOf);
    this.results = this.folds.map(() => []);
    this.isRead = false;
    this.finished = 0;
    this.at = 0;
    this.holding.resize(0);
  }

  /** Of so many groups: wide ones count for more. */
  private workOf(count: number): number {
    return count * (batchRowsMax / this.rowsMax);
  }

  private get groupCount(): number {
    return this.plan.isGlobal ? 1 : this.groups.size;
  }

  private consume(): Pending | undefined {
    for (;;) {
      const batch = this.input.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.run.current = this.site;
      this.numberGroups(batch);
      this.feed(batch);
      this.holding.resize(this.heldBytes());
    }
    this.isRead = true;
    return undefined;
  }

  private numberGroups(batch: Batch): void {
    // A global aggregate has the one group 0: the numbers are zero from the start.
    if (this.plan.isGlobal) return;
    const columns = this.groupKernels.map((kernel) => evaluateBatch(kernel, batch));
    const known = this.groups.size;
    this.groups.insert(columns, batch.selection, batch.count, this.numbers, this.sourcesOf(batch));
    if (this.groups.size === known) return;
    const selection = this.scratch.take(batch.count);
    let count = 0;
    for (let i = 0; i < batch.count; i++) {
      const row = batch.selection[i] as number;
      if (this.numbers[row] === known + count) selection[count++] = row;
    }
    this.keys.append({ columns, selection, count });
  }

  /** Of the group columns. */
  private sourcesOf({ sources }: Batch): readonly (ValueSource | undefined)[] | undefined {
    if (sources === undefined) return undefined;
    return this.plan.groups.map((group) =>
      group.kind === 'column' ? sources[group.slot] : undefined,
    );
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
    let bytes = this.groups.bytes + this.keys.bytes;
    for (const fold of this.folds) bytes += this.groupCount * groupBytes + fold.valueBytes;
    return bytes;
  }

  /** Judges every group, whoever asks for how many. */
  private finish(): Pending | undefined {
    const count = this.groupCount;
    while (this.finished < count) {
      const pause = this.run.budget.pause(batchRowsMax);
      if (pause !== undefined) return pause;
      this.run.current = this.site;
      const to = Math.min(count, this.finished + this.rowsMax);
      for (let f = 0; f < this.folds.length; f++) {
        (this.folds[f] as Fold).finish(this.finished, to, this.results[f] as Datums);
      }
      this.finished = to;
    }
    return undefined;
  }
}
