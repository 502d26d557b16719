/** Rows of a table in key order, either way: all of them, or an interval of the primary key. */

import type { Pending } from '#base';
import { tableLayout } from '#layout';
import type { ScanPlan } from '#planner';
import type { EntryCursor } from '#storage';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { Site } from '../../site.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from './batch-size.ts';
import { Interval } from './interval.ts';
import { RowDecoder } from './row-decoder.ts';

export class RangeScan implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly plan: ScanPlan;
  private readonly interval: Interval | undefined;
  private readonly decoder: RowDecoder;
  private readonly out: DenseBatch;
  private cursor: EntryCursor | undefined;
  private readonly rowsMax: number;
  private filled = 0;
  /** Of the stored rows that were read since the last look at the budget. */
  private bytes = 0;
  private isDone = false;

  constructor(plan: ScanPlan, run: QueryRun, site: Site) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    this.interval =
      plan.access.kind === 'table' ? undefined : new Interval(plan.access.interval, run.frame);
    this.decoder = new RowDecoder(plan.table, plan.columns);
    this.out = new DenseBatch(plan.columns.length);
    this.rowsMax = rowsOfCells(plan.columns.length);
  }

  open(): void {
    this.close();
    this.filled = 0;
    this.isDone = false;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const target = Math.min(wanted, this.rowsMax);
    if (this.isDone) return undefined;
    const wait = this.run.budget.pause(scanWork(target, this.out.columns.length, this.bytes));
    if (wait !== undefined) return wait;
    this.bytes = 0;
    this.cursor ??= this.start();
    const pending = this.cursor === undefined ? undefined : this.fill(this.cursor, target);
    if (pending !== undefined) return pending;
    return this.emit();
  }

  close(): void {
    this.cursor?.close();
    this.cursor = undefined;
  }

  private start(): EntryCursor | undefined {
    const layout = tableLayout(this.plan.table);
    this.run.current = this.site;
    const range = this.interval === undefined ? layout.range : this.interval.range(layout);
    if (range !== undefined) {
      return this.run.view.scan(range, this.plan.reverse ? 'backward' : 'forward');
    }
    this.isDone = true;
    return undefined;
  }

  /** Fills the batch up to `target` rows, or so many bytes; what a wait interrupts goes on where it was. */
  private fill(cursor: EntryCursor, target: number): Pending | undefined {
    const { columns } = this.out;
    while (this.filled < target && this.bytes < batchBytes) {
      const step = cursor.next();
      if (step === true) {
        const run = cursor.takeRun?.(target - this.filled);
        if (run === undefined) {
          this.bytes += cursor.valueTo - cursor.valueFrom;
          this.decoder.decode(cursor, columns, this.filled++);
        } else {
          this.bytes += this.decoder.decodeRun(run, columns, this.filled);
          this.filled += run.to - run.from;
        }
      } else if (step === false) {
        this.isDone = true;
        this.close();
        return undefined;
      } else {
        return step;
      }
    }
    return undefined;
  }

  private emit(): Batch | undefined {
    const count = this.filled;
    this.filled = 0;
    if (count === 0) return undefined;
    this.out.count = count;
    this.site.rowsOut += count;
    return this.out;
  }
}
