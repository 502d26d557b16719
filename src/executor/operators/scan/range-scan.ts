/** Rows of a table in key order, either way: all of them, or an interval of the primary key. */

import type { Pending } from '#base';
import type { Column } from '#catalog';
import { RunReader, tableLayout } from '#layout';
import type { PlanExpression, ScanPlan } from '#planner';
import type { EntryCursor, EntryRun, ZoneBound } from '#storage';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { ValueSource } from '../../batch/value-source.ts';
import { type Datums, denseSelection, type Vector } from '../../batch/vector.ts';
import type { Site } from '../../site.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from './batch-size.ts';
import { Interval } from './interval.ts';
import { RowDecoder } from './row-decoder.ts';
import { RunningBound } from './running-bound.ts';
import { ZoneBounds } from './zone-bounds.ts';

/** Shorter runs are put together, so that no batch is so small. */
const wholeRunRows = 256;

export class RangeScan implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly plan: ScanPlan;
  private readonly interval: Interval | undefined;
  private readonly decoder: RowDecoder;
  private reader: RunReader | undefined;
  private bounds: ZoneBounds | undefined;
  private running: RunningBound | undefined;
  private readonly out: DenseBatch;
  private cursor: EntryCursor | undefined;
  private readonly rowsMax: number;
  private filled = 0;
  /** A run of columns that is a batch of its own. */
  private whole: EntryRun | undefined;
  /** A run that is read, and that the batch that was being made had no place for. */
  private rest: EntryRun | undefined;
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

  /** Rows that do not pass `predicate` are of no interest: whole blocks of them may be left out. */
  narrow(predicate: PlanExpression): void {
    this.bounds = new ZoneBounds(predicate, this.plan.columns, this.run.frame);
  }

  bound(slot: number): RunningBound | undefined {
    const column = this.plan.columns[slot] as Column;
    if (column.type !== 'int64' && column.type !== 'float64') return undefined;
    this.running ??= new RunningBound(column);
    return this.running.column === column.physicalId ? this.running : undefined;
  }

  open(): void {
    this.close();
    this.running?.reset();
    this.filled = 0;
    this.whole = undefined;
    this.rest = undefined;
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
    const { view } = this.run;
    const { reverse } = this.plan;
    const bounds = this.zoneBounds();
    if (this.interval === undefined) {
      return view.scan(layout.range, reverse ? 'backward' : 'forward', bounds);
    }
    const cursor = this.interval.scan(layout, view, reverse, bounds);
    this.isDone = cursor === undefined;
    return cursor;
  }

  private zoneBounds(): readonly ZoneBound[] | undefined {
    const fixed = this.bounds?.current();
    if (this.running === undefined) return fixed;
    return fixed === undefined ? [this.running] : [...fixed, this.running];
  }

  /** Fills the batch up to `target` rows, or so many bytes; what a wait interrupts goes on where it was. */
  private fill(cursor: EntryCursor, target: number): Pending | undefined {
    const { columns } = this.out;
    if (this.rest !== undefined) {
      this.take(this.rest);
      this.rest = undefined;
    }
    while (this.filled < target && this.bytes < batchBytes && this.whole === undefined) {
      const step = cursor.next();
      if (step === true) {
        const run = cursor.takeRun?.(this.runMax(target));
        if (run === undefined) {
          this.bytes += cursor.valueTo - cursor.valueFrom;
          this.decoder.decode(cursor, columns, this.filled++);
        } else if (this.filled + run.to - run.from > target) {
          this.rest = run;
          return undefined;
        } else {
          this.take(run);
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

  /** A block is not cut to fill a batch up: all that follow would be cut, too, and put together again. */
  private runMax(target: number): number {
    return target < wholeRunRows ? target - this.filled : target;
  }

  private take(run: EntryRun): void {
    const { columns } = this.out;
    const count = run.to - run.from;
    const at = this.filled;
    this.filled += count;
    if (run.block.values.column === undefined) {
      this.bytes += this.decoder.decodeRun(run, columns, at);
      return;
    }
    if (columns.length === 0) return;
    this.bytes += Math.ceil((run.block.bytes.length * count) / run.block.rows);
    if (at === 0 && count >= wholeRunRows) {
      this.whole = run;
      return;
    }
    for (let c = 0; c < columns.length; c++) {
      const values = this.column(c, run);
      const to = columns[c] as Datums;
      for (let i = 0; i < count; i++) to[at + i] = values[i] as Datums[number];
    }
  }

  private column(c: number, run: EntryRun): Vector {
    this.reader ??= new RunReader(this.plan.table, this.plan.columns);
    return this.reader.column(c, run);
  }

  private emit(): Batch | undefined {
    const count = this.filled;
    this.filled = 0;
    if (count === 0) return undefined;
    this.site.rowsOut += count;
    if (this.whole !== undefined) return this.wholeBatch(this.whole);
    this.out.count = count;
    return this.out;
  }

  private wholeBatch(run: EntryRun): Batch {
    this.whole = undefined;
    const columns: Vector[] = [];
    let sources: (ValueSource | undefined)[] | undefined;
    for (let c = 0; c < this.out.columns.length; c++) {
      columns.push(this.column(c, run));
      const dictionary = this.reader?.dictionary(c, run);
      if (dictionary === undefined) continue;
      sources ??= this.out.columns.map(() => undefined);
      sources[c] = dictionary;
    }
    return { columns, selection: denseSelection, count: run.to - run.from, sources };
  }
}
