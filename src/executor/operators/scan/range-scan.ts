/** Returns rows of a table in key order, in either direction: all rows, or those of an interval of the primary key. */

import type { Pending } from '#base';
import type { Column } from '#catalog';
import { type Picked, RunReader, type TextSearch, tableLayout } from '#layout';
import type { PlanExpression, ScanPlan } from '#planner';
import type { BlockSpan, EntryCursor, ZoneBound } from '#storage';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { ValueSource } from '../../batch/value-source.ts';
import {
  batchRowsMax,
  type Datums,
  denseSelection,
  Scratch,
  type Selection,
  type Vector,
} from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from './batch-size.ts';
import { EntryCount } from './entry-count.ts';
import { Interval } from './interval.ts';
import { RequiredText } from './required-text.ts';
import { RowCondition } from './row-condition.ts';
import { RowDecoder } from './row-decoder.ts';
import { type RunningBound, runningBoundOf } from './running-bound.ts';
import { ZoneBounds } from './zone-bounds.ts';

/** Shorter runs are combined, so that batches do not become that small. */
const wholeRunRows = 256;

type RowSelect = (selection: Selection, count: number, out: Selection) => number;

/** The place of a column that is not read. */
const unread: Vector = [];

export class RangeScan implements Operator {
  readonly isRepeatable = true;
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly plan: ScanPlan;
  private readonly interval: Interval | undefined;
  private readonly decoder: RowDecoder;
  private reader: RunReader | undefined;
  private bounds: ZoneBounds | undefined;
  private running: (RunningBound & ZoneBound) | undefined;
  /** Index of the column with the running bound. */
  private boundColumn = 0;
  /** Columns that the receiver reads; undefined for all. */
  private read: ReadonlySet<number> | undefined;
  /** The text that every matching row contains, and the search for it with the parameters of this run. */
  private heldText: RequiredText | undefined;
  private search: TextSearch | undefined;
  /** The predicate of the filter above; `condition` is compiled from it when a run of columns is first read. */
  private predicate: PlanExpression | undefined;
  private condition: RowCondition | undefined;
  /** Buffer for the positions in a run of the rows that may match. */
  private readonly picked = new Scratch();
  /** Columns of the last run that were decoded to evaluate the condition, by column index. */
  private readonly early: (Vector | undefined)[];
  /** Number of rows that did not pass the condition and are not yet counted in `rowsOut`. */
  private passedOver = 0;
  private readonly out: DenseBatch;
  private cursor: EntryCursor | undefined;
  private readonly rowsMax: number;
  private filled = 0;
  /** A run of columns that forms a batch alone. */
  private whole: BlockSpan | undefined;
  private wholePicked: Picked | undefined;
  /** A run that is read but did not fit into the batch that was being filled. */
  private rest: BlockSpan | undefined;
  /** Bytes of the stored rows that were read since the last call of `pause`. */
  private bytes = 0;
  private readonly counted = new EntryCount();
  private isDone = false;

  constructor(plan: ScanPlan, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    this.interval =
      plan.access.kind === 'table' ? undefined : new Interval(plan.access.interval, run.frame);
    this.decoder = new RowDecoder(plan.table, plan.columns);
    this.out = new DenseBatch(plan.columns.length);
    this.early = plan.columns.map(() => undefined);
    this.rowsMax = rowsOfCells(plan.columns.length);
  }

  /** Narrows the scan to `predicate`: it may leave out rows that do not pass, and whole blocks of them. */
  narrow(predicate: PlanExpression): void {
    this.heldText = RequiredText.of(predicate, this.plan.columns, this.run.frame);
    if (this.plan.readsAll !== true) {
      this.bounds = new ZoneBounds(predicate, this.plan.columns, this.run.frame);
    }
    this.predicate = predicate;
  }

  bound(columnIndex: number): RunningBound | undefined {
    const column = this.plan.columns[columnIndex] as Column;
    if (this.plan.readsAll === true) return undefined;
    this.running ??= runningBoundOf(column);
    if (this.running?.column !== column.physicalId) return undefined;
    this.boundColumn = columnIndex;
    return this.running;
  }

  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.read = columnIndexes;
  }

  open(): void {
    this.close();
    this.running?.reset();
    this.filled = 0;
    this.counted.take();
    this.passedOver = 0;
    this.whole = undefined;
    this.rest = undefined;
    this.isDone = false;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const target = Math.min(wanted, this.rowsMax);
    while (!this.isDone) {
      const wait = this.run.budget.pause(scanWork(target, this.out.columns.length, this.bytes));
      if (wait !== undefined) return wait;
      this.bytes = 0;
      this.openCursor();
      const pending = this.cursor === undefined ? undefined : this.fill(this.cursor, target);
      if (pending !== undefined) return pending;
      // If no row that was read so far may match, reading continues.
      const batch = this.emit();
      if (batch !== undefined) return batch;
    }
    return undefined;
  }

  nextCount(): number | undefined | Pending {
    this.site.calls++;
    if (this.isDone) return undefined;
    const wait = this.run.budget.pause(batchRowsMax);
    if (wait !== undefined) return wait;
    this.openCursor();
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

  private openCursor(): void {
    if (this.cursor !== undefined) return;
    this.cursor = this.start();
    this.cursor?.preferRuns?.();
  }

  private start(): EntryCursor | undefined {
    const layout = tableLayout(this.plan.table);
    this.run.current = this.site;
    this.search = this.heldText?.search();
    const { view } = this.run;
    const { reverse } = this.plan;
    const bounds = this.zoneBounds();
    if (this.interval === undefined) {
      return view.scan(layout.range, reverse ? 'backward' : 'forward', bounds);
    }
    const cursor = this.interval.scan(layout, view, reverse, this.run.budget, bounds);
    this.isDone = cursor === undefined;
    return cursor;
  }

  private zoneBounds(): readonly ZoneBound[] | undefined {
    const fixed = this.bounds?.current();
    if (this.running === undefined) return fixed;
    return fixed === undefined ? [this.running] : [...fixed, this.running];
  }

  /** Fills the batch up to `target` rows, or `batchBytes` bytes. After a wait, the next call continues. */
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

  /** Returns the maximum length of a run. A block is not cut to fill up a batch: then all later blocks would have to be cut and combined too. */
  private runMax(target: number): number {
    return target < wholeRunRows ? target - this.filled : target;
  }

  private take(run: BlockSpan): void {
    const { columns } = this.out;
    const count = run.to - run.from;
    const at = this.filled;
    if (run.block.values.column === undefined) {
      this.filled += count;
      this.bytes += this.decoder.decodeRun(run, columns, at);
      return;
    }
    if (columns.length === 0) {
      this.filled += count;
      return;
    }
    this.bytes += Math.ceil((run.block.bytes.length * count) / run.block.rows);
    const picked = this.pick(run);
    const kept = picked?.count ?? count;
    this.filled += kept;
    if (kept === 0) return;
    if (at === 0 && count >= wholeRunRows) {
      this.whole = run;
      this.wholePicked = picked;
      return;
    }
    for (let c = 0; c < columns.length; c++) {
      if (this.read?.has(c) === false) continue;
      const values = this.column(c, run, picked);
      const to = columns[c] as Datums;
      if (picked === undefined) {
        for (let i = 0; i < count; i++) to[at + i] = values[i] as Datums[number];
      } else {
        for (let i = 0; i < kept; i++) {
          to[at + i] = values[picked.positions[i] as number] as Datums[number];
        }
      }
    }
  }

  /** Returns the rows of a run of columns that may match; undefined if all of them may. */
  private pick(run: BlockSpan): Picked | undefined {
    const count = run.to - run.from;
    const positions = this.picked.take(count);
    const found = this.search?.select(run, positions);
    const searched = found === undefined ? undefined : { positions, count: found };
    this.early.fill(undefined);
    const passing = found === 0 ? searched : this.passCondition(run, searched);
    return passing?.count === 0 ? passing : this.passBound(run, passing);
  }

  private passCondition(run: BlockSpan, searched: Picked | undefined): Picked | undefined {
    const condition = this.currentCondition();
    if (condition === undefined) return searched;
    for (const c of condition.columnIndexes) this.early[c] = this.column(c, run, searched);
    return this.passed(run, searched, (selection, count, out) =>
      condition.select(this.early as Vector[], selection, count, out),
    );
  }

  /** Leaves out the rows beyond the running bound. */
  private passBound(run: BlockSpan, picked: Picked | undefined): Picked | undefined {
    const { running, boundColumn } = this;
    if (running === undefined || running.isOpen) return picked;
    const values = this.column(boundColumn, run, picked);
    this.early[boundColumn] = values;
    if (!(values instanceof Float64Array)) return picked;
    return this.passed(run, picked, (selection, count, out) =>
      running.select(values, selection, count, out),
    );
  }

  /** Returns the rows that `select` selects of `picked`, or of a whole run. */
  private passed(
    run: BlockSpan,
    picked: Picked | undefined,
    select: RowSelect,
  ): Picked | undefined {
    const asked = picked?.count ?? run.to - run.from;
    const positions = this.picked.take(run.to - run.from);
    const kept = select(picked?.positions ?? denseSelection, asked, positions);
    this.passedOver += asked - kept;
    return kept === asked ? picked : { positions, count: kept };
  }

  private currentCondition(): RowCondition | undefined {
    if (this.predicate !== undefined) {
      const { predicate, plan, run } = this;
      this.condition = RowCondition.of(predicate, plan.columns.length, run.frame);
      this.predicate = undefined;
    }
    return this.condition;
  }

  /** Returns a column of a run. With `picked`, only the values at its positions are defined. */
  private column(c: number, run: BlockSpan, picked: Picked | undefined): Vector {
    const early = this.early[c];
    if (early !== undefined) return early;
    this.reader ??= new RunReader(this.plan.table, this.plan.columns);
    return this.reader.column(c, run, picked);
  }

  private emit(): Batch | undefined {
    const count = this.filled;
    this.filled = 0;
    this.site.rowsOut += count + this.passedOver;
    this.passedOver = 0;
    if (count === 0) return undefined;
    if (this.whole !== undefined) return this.wholeBatch(this.whole, this.wholePicked);
    this.out.count = count;
    return this.out;
  }

  private wholeBatch(run: BlockSpan, picked: Picked | undefined): Batch {
    this.whole = undefined;
    const columns: Vector[] = [];
    let sources: (ValueSource | undefined)[] | undefined;
    for (let c = 0; c < this.out.columns.length; c++) {
      if (this.read?.has(c) === false) {
        columns.push(unread);
        continue;
      }
      columns.push(this.column(c, run, picked));
      const dictionary = this.reader?.dictionary(c, run);
      if (dictionary === undefined) continue;
      sources ??= this.out.columns.map(() => undefined);
      sources[c] = dictionary;
    }
    const selection = picked?.positions ?? denseSelection;
    const count = picked?.count ?? run.to - run.from;
    return { columns, selection, count, sources, isNarrowed: this.condition !== undefined };
  }
}
