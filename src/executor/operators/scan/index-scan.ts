/**
 * Returns the rows of an interval of an index, in index order. The entries of a batch are read first. Their rows are then fetched in key order,
 * which is fast in storage, and put at the positions of their entries.
 */

import { invariant, type Pending } from '#base';
import { type IndexLayout, indexLayout } from '#layout';
import type { KeyInterval, ScanPlan } from '#planner';
import type { EntryCursor } from '#storage';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from './batch-size.ts';
import { Interval } from './interval.ts';
import { RowDecoder } from './row-decoder.ts';
import { RowFetch } from './row-fetch.ts';

/** Maximum number of rows of the first batch. */
const rowsFirst = 16;

export class IndexScan implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly layout: IndexLayout;
  private readonly isReverse: boolean;
  private readonly interval: Interval;
  /** Rows of the batch that is being filled. */
  private readonly rows: RowFetch;
  private readonly out: DenseBatch;
  private cursor: EntryCursor | undefined;
  private isAtEnd = false;
  /** Whether all keys of the batch have been read. */
  private hasKeys = false;
  /** Maximum number of rows of the next batch; small until the size of the rows is known. */
  private rowsMax = rowsFirst;

  constructor(plan: ScanPlan, layout: IndexLayout, interval: KeyInterval, context: ScanContext) {
    this.site = context.site;
    this.run = context.run;
    this.layout = layout;
    this.isReverse = plan.reverse;
    this.interval = new Interval(interval, context.run.frame);
    this.rows = new RowFetch(new RowDecoder(plan.table, plan.columns), context.run);
    this.out = new DenseBatch(plan.columns.length);
  }

  open(): void {
    this.close();
    this.isAtEnd = false;
    this.startBatch();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const target = Math.min(wanted, this.rowsMax);
    const { width } = this;
    const wait =
      this.run.budget.pause(scanWork(target * 4, width, 0)) ??
      this.readKeys(target) ??
      this.rows.fetch(this.out.columns, Number.POSITIVE_INFINITY);
    if (wait !== undefined) return wait;
    invariant(this.rows.absent.length === 0, 'an index entry has its row');
    const count = this.rows.keys.length;
    const rowsOfBytes = Math.floor((batchBytes * count) / Math.max(1, this.rows.bytes));
    this.rowsMax = Math.max(1, Math.min(rowsOfCells(width), rowsOfBytes));
    this.startBatch();
    if (count === 0) return undefined;
    this.out.count = count;
    this.site.rowsOut += count;
    return this.out;
  }

  close(): void {
    this.cursor?.close();
    this.cursor = undefined;
  }

  private startBatch(): void {
    this.rows.clear();
    this.hasKeys = false;
  }

  private get width(): number {
    return this.out.columns.length;
  }

  private readKeys(target: number): Pending | undefined {
    if (this.hasKeys) return undefined;
    while (!this.isAtEnd && this.rows.keys.length < target) {
      const cursor = this.cursor ?? this.start();
      const step = cursor === undefined ? false : cursor.next();
      if (step instanceof Promise) return step;
      if (!step || cursor === undefined) this.isAtEnd = true;
      else this.rows.keys.push(this.keyUnder(cursor));
    }
    this.hasKeys = true;
    return undefined;
  }

  private start(): EntryCursor | undefined {
    this.run.current = this.site;
    this.cursor = this.interval.scan(this.layout, this.run.view, this.isReverse, this.run.budget);
    return this.cursor;
  }

  private keyUnder(cursor: EntryCursor): Uint8Array {
    return this.layout.rowKeyOfEntry(
      cursor.key,
      cursor.keyFrom,
      cursor.keyTo,
      cursor.value,
      cursor.valueFrom,
      cursor.valueTo,
    );
  }
}

interface ScanContext {
  readonly run: QueryRun;
  readonly site: OperatorProfile;
}

export function indexScan(
  plan: ScanPlan,
  access: Extract<ScanPlan['access'], { kind: 'index' }>,
  run: QueryRun,
  site: OperatorProfile,
): Operator {
  return new IndexScan(plan, indexLayout(plan.table, access.index), access.interval, { run, site });
}
