/**
 * Hash aggregation: a batch is first converted to group numbers, then each fold runs one loop over it. Rows of groups that exceed the memory of
 * the program are spilled, and folded once the groups before them are finished. A group is therefore never in two places.
 */

import type { Pending } from '#base';
import type { AggregatePlan, PlanFold } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { windowEnd } from '../../batch/row-store.ts';
import type { ValueSource } from '../../batch/value-source.ts';
import { batchRowsMax, denseSelection, Scratch } from '../../batch/vector.ts';
import { compile, compileAll } from '../../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../../kernels/kernel.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { ProgramSpill } from '../../spill/program-spill.ts';
import { withSmallBatches } from '../batch-splitter.ts';
import { columnIndexesIn, numberedColumnIndexes } from '../expression-columns.ts';
import { rowsOfTerms } from '../expression-size.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { type GroupInput, GroupTable, keysOf } from './group-table.ts';
import { SpilledGroups } from './spilled-groups.ts';

export class Aggregate implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly plan: AggregatePlan;
  private readonly groupKernels: readonly Kernel[];
  private readonly foldKernels: readonly (Kernel | undefined)[];
  /** The result is the number of input rows, whatever they contain. */
  private readonly onlyCounts: boolean;
  private readonly reservation: MemoryReservation;
  /** Memory of the spilled rows and groups. */
  private readonly spillHolding: MemoryReservation;
  /** Maximum number of groups that are finished, or returned, without a yield. */
  private readonly rowsMax: number;
  private readonly scratch = new Scratch();
  private readonly finishPause = (rows: number) => {
    const wait = this.run.budget.pause(rows);
    this.run.current = this.site;
    return wait;
  };
  private table: GroupTable;
  /** Whether the input, or the part of it that is being read, is exhausted. */
  private isRead = false;
  /** Defined once there was no memory for another group. */
  private spilled: SpilledGroups | undefined;
  /** Whether `table` accepts no more groups. */
  private isFull = false;
  private at = 0;

  constructor(plan: AggregatePlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    const folded = plan.folds.flatMap(({ argument }) => argument ?? []);
    this.input = withSmallBatches(input, plan.input, [...plan.groups, ...folded], run);
    const numbered = numberedColumnIndexes(plan.groups, folded);
    this.input.narrowTo?.(columnIndexesIn([...plan.groups, ...folded]), numbered);
    this.plan = plan;
    this.groupKernels = compileAll(plan.groups, run.frame);
    this.foldKernels = plan.folds.map(({ argument }: PlanFold) =>
      argument === undefined ? undefined : compile(argument, run.frame),
    );
    this.rowsMax = rowsOfTerms(plan.output.length);
    this.onlyCounts = plan.isGlobal && folded.length === 0;
    this.reservation = run.memory.reservation(site);
    this.spillHolding = run.memory.reservation(site);
    this.table = new GroupTable(plan);
  }

  open(): void {
    this.input.open();
    this.forget();
  }

  /** Finishes every group, and so raises its errors, before it returns the first one, whatever the value of `wanted`. */
  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const wait = this.work();
    if (wait !== undefined) return wait;
    const { spilled } = this;
    const batch = spilled === undefined ? this.nextHeld(wanted) : this.nextSpilled(spilled);
    if (batch !== undefined && !(batch instanceof Promise)) this.site.rowsOut += batch.count;
    return batch;
  }

  close(): void {
    this.input.close();
    this.forget();
  }

  private nextHeld(wanted: number): Batch | undefined | Pending {
    const from = this.at;
    const to = windowEnd(from, this.table.size, Math.min(wanted, this.rowsMax));
    if (from === to) return undefined;
    // Wide groups are charged as several rows.
    const pause = this.run.budget.pause((to - from) * (batchRowsMax / this.rowsMax));
    if (pause !== undefined) return pause;
    this.at = to;
    return { columns: this.table.window(from, to), selection: denseSelection, count: to - from };
  }

  private nextSpilled(spilled: SpilledGroups): Batch | undefined | Pending {
    return this.run.budget.pause(batchRowsMax) ?? spilled.nextFinished();
  }

  private forget(): void {
    this.table = new GroupTable(this.plan, this.table);
    this.spilled?.close();
    this.spilled = undefined;
    this.isRead = false;
    this.isFull = false;
    this.at = 0;
    this.reservation.resize(0);
    this.spillHolding.resize(0);
  }

  /** Reads the input and finishes its groups, then does the same for the spilled parts, one after the other. */
  private work(): Pending | undefined {
    for (;;) {
      const wait =
        (this.isRead ? undefined : this.consume()) ??
        this.table.finish(this.rowsMax, this.finishPause);
      if (wait !== undefined) return wait;
      if (this.spilled === undefined) return undefined;
      const next = this.spilled.nextPart(this.table, this.rowsMax, this.finishPause);
      if (next instanceof Promise) return next;
      if (!next) return undefined;
      this.table = new GroupTable(this.plan, this.table);
      this.isRead = false;
      this.isFull = false;
    }
  }

  private consume(): Pending | undefined {
    for (;;) {
      const wait = this.spilled?.crowded();
      if (wait !== undefined) return wait;
      const input = this.spilled?.isReading === true ? this.read(this.spilled) : this.evaluate();
      if (input instanceof Promise) return input;
      if (input === undefined) break;
      this.take(input);
    }
    this.isRead = true;
    return undefined;
  }

  private evaluate(): GroupInput | undefined | Pending {
    if (this.onlyCounts && this.input.nextCount !== undefined) {
      return this.counted(this.input.nextCount());
    }
    const batch = this.input.next(batchRowsMax);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.run.current = this.site;
    const { selection, count } = batch;
    return {
      keys: this.plan.isGlobal
        ? []
        : this.groupKernels.map((kernel) => evaluateBatch(kernel, batch)),
      values: this.foldKernels.map((kernel) => kernel && evaluateBatch(kernel, batch)),
      selection,
      count,
      sources: this.sourcesOf(batch),
    };
  }

  private counted(count: number | undefined | Pending): GroupInput | undefined | Pending {
    if (typeof count !== 'number') return count;
    const values = this.foldKernels.map(() => undefined);
    return { keys: [], values, selection: denseSelection, count, sources: undefined };
  }

  private read(spilled: SpilledGroups): GroupInput | undefined | Pending {
    return this.run.budget.pause(batchRowsMax) ?? spilled.read();
  }

  private take(input: GroupInput): void {
    if (this.isFull) {
      const rows = { ...input, keys: keysOf(input, input.selection, input.count) };
      const others = this.scratch.take(input.count);
      const count = this.table.addKnown(rows, others);
      this.spilled?.add(rows, others, count);
    } else this.table.add(input);
    const { bytes } = this.table;
    if (this.spilled !== undefined) this.spillHolding.resize(this.spilled.bytes);
    if (this.isFull || this.plan.isGlobal || this.spilled?.canPart === false) {
      this.reservation.resize(bytes);
    } else if (!this.reservation.fits(bytes)) {
      this.isFull = true;
      this.spilled ??= new SpilledGroups(this.plan, this.run.memory.spill as ProgramSpill);
    }
  }

  /** Returns the value sources of the group columns. */
  private sourcesOf({ sources }: Batch): readonly (ValueSource | undefined)[] | undefined {
    if (sources === undefined) return undefined;
    return this.plan.groups.map((group) =>
      group.kind === 'column' ? sources[group.columnIndex] : undefined,
    );
  }
}
