/**
 * Rows by an interval of an index, in its order. Entries are read some way ahead; their rows are then fetched in key order, which is
 * kind to the storage, and put at the positions of their entries.
 */

import { invariant, type Pending } from '#base';
import { type IndexLayout, indexLayout } from '#layout';
import type { KeyInterval, ScanPlan } from '#planner';
import type { EntryCursor } from '#storage';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { Site } from '../../site.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from './batch-size.ts';
import { Interval } from './interval.ts';
import { keyPositions } from './key-positions.ts';
import { RowDecoder } from './row-decoder.ts';

/** Of the first batch. */
const rowsFirst = 16;

export class IndexScan implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly layout: IndexLayout;
  private readonly isReverse: boolean;
  private readonly interval: Interval;
  private readonly decoder: RowDecoder;
  private readonly out: DenseBatch;
  private cursor: EntryCursor | undefined;
  private isAtEnd = false;
  /** Row keys of the batch that is being made, in index order. */
  private keys: Uint8Array[] = [];
  /** Positions of `keys`, by key; undefined while keys are still being read. */
  private order: Uint16Array | undefined;
  private fetched = 0;
  /** Rows of the next batch at most: few until it is known how long they are. */
  private rowsMax = rowsFirst;
  /** Of the rows fetched for this batch, and what of them the budget has not been told. */
  private bytes = 0;
  private untold = 0;

  constructor(plan: ScanPlan, layout: IndexLayout, interval: KeyInterval, context: ScanContext) {
    this.site = context.site;
    this.run = context.run;
    this.layout = layout;
    this.isReverse = plan.reverse;
    this.interval = new Interval(interval, context.run.frame);
    this.decoder = new RowDecoder(plan.table, plan.columns);
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
      this.fetch();
    if (wait !== undefined) return wait;
    const count = this.keys.length;
    const rowsOfBytes = Math.floor((batchBytes * count) / Math.max(1, this.bytes));
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
    this.keys = [];
    this.order = undefined;
    this.fetched = 0;
    this.bytes = 0;
  }

  private get width(): number {
    return this.out.columns.length;
  }

  private readKeys(target: number): Pending | undefined {
    if (this.order !== undefined) return undefined;
    while (!this.isAtEnd && this.keys.length < target) {
      const cursor = this.cursor ?? this.start();
      const step = cursor === undefined ? false : cursor.next();
      if (step instanceof Promise) return step;
      if (!step || cursor === undefined) this.isAtEnd = true;
      else this.keys.push(this.keyUnder(cursor));
    }
    const { keys } = this;
    this.order = keyPositions(keys);
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

  private fetch(): Pending | undefined {
    const { keys, out } = this;
    const order = this.order as Uint16Array;
    while (this.fetched < keys.length) {
      if (this.untold >= batchBytes) {
        const pause = this.run.budget.pause(scanWork(0, 0, this.untold));
        this.untold = 0;
        if (pause !== undefined) return pause;
      }
      const at = order[this.fetched] as number;
      const key = keys[at] as Uint8Array;
      const found = this.run.view.find(key);
      if (found instanceof Promise) return found;
      invariant(found !== undefined, 'an index entry has its row');
      const bytes = this.decoder.decodeFetched(key, found, out.columns, at);
      this.bytes += bytes;
      this.untold += bytes;
      this.fetched++;
    }
    return undefined;
  }
}

interface ScanContext {
  readonly run: QueryRun;
  readonly site: Site;
}

export function indexScan(
  plan: ScanPlan,
  access: Extract<ScanPlan['access'], { kind: 'index' }>,
  run: QueryRun,
  site: Site,
): Operator {
  return new IndexScan(plan, indexLayout(plan.table, access.index), access.interval, { run, site });
}
