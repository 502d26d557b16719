/** Returns rows from the entries of an index alone, in index order: the scan neither fetches nor depends on the rows of the table. */

import type { Pending } from '#base';
import { indexLayout } from '#layout';
import type { ScanPlan } from '#planner';
import type { EntryCursor } from '#storage';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from './batch-size.ts';
import { EntryCount } from './entry-count.ts';
import { EntryDecoder } from './entry-decoder.ts';
import { Interval } from './interval.ts';

export class EntryScan implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly plan: ScanPlan;
  private readonly access: Extract<ScanPlan['access'], { kind: 'index' }>;
  private readonly interval: Interval;
  private readonly decoder: EntryDecoder;
  private readonly out: DenseBatch;
  private readonly rowsMax: number;
  private cursor: EntryCursor | undefined;
  private filled = 0;
  /** Bytes of the entries that were read since the last call of `pause`. */
  private bytes = 0;
  private readonly counted = new EntryCount();
  private isDone = false;

  constructor(
    plan: ScanPlan,
    access: Extract<ScanPlan['access'], { kind: 'index' }>,
    run: QueryRun,
    site: OperatorProfile,
  ) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    this.access = access;
    this.interval = new Interval(access.interval, run.frame);
    this.decoder = new EntryDecoder(plan, access.index);
    this.out = new DenseBatch(plan.columns.length);
    this.rowsMax = rowsOfCells(plan.columns.length);
  }

  open(): void {
    this.close();
    this.filled = 0;
    this.counted.take();
    this.isDone = false;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    if (this.isDone) return undefined;
    const target = Math.min(wanted, this.rowsMax);
    const wait = this.run.budget.pause(scanWork(target, this.out.columns.length, this.bytes));
    if (wait !== undefined) return wait;
    this.bytes = 0;
    this.cursor ??= this.start();
    const pending = this.cursor === undefined ? undefined : this.fill(this.cursor, target);
    return pending ?? this.emit();
  }

  nextCount(): number | undefined | Pending {
    this.site.calls++;
    if (this.isDone) return undefined;
    const wait = this.run.budget.pause(batchRowsMax);
    if (wait !== undefined) return wait;
    this.cursor ??= this.start();
    const isAtEnd = this.cursor === undefined || this.counted.count(this.cursor);
    if (isAtEnd instanceof Promise) return isAtEnd;
    this.isDone = isAtEnd;
    if (isAtEnd) this.close();
    const rows = this.counted.take();
    this.site.rowsOut += rows;
    return rows;
  }

  close(): void {
    this.cursor?.close();
    this.cursor = undefined;
  }

  private start(): EntryCursor | undefined {
    this.run.current = this.site;
    const layout = indexLayout(this.plan.table, this.access.index);
    const cursor = this.interval.scan(layout, this.run.view, this.plan.reverse, this.run.budget);
    this.isDone = cursor === undefined;
    return cursor;
  }

  private fill(cursor: EntryCursor, target: number): Pending | undefined {
    const { columns } = this.out;
    while (this.filled < target && this.bytes < batchBytes) {
      const step = cursor.next();
      if (step instanceof Promise) return step;
      if (!step) {
        this.isDone = true;
        this.close();
        return undefined;
      }
      this.bytes += cursor.keyTo - cursor.keyFrom + cursor.valueTo - cursor.valueFrom;
      this.decoder.decode(cursor, columns, this.filled++);
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
