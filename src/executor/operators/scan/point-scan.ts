/** Returns at most one row, by its primary key or a unique index, with reads instead of a scan. */

import type { Pending } from '#base';
import { type IndexLayout, indexLayout, type TableLayout, tableLayout } from '#layout';
import type { KeyInterval, ScanPlan } from '#planner';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Interval } from './interval.ts';
import { RowDecoder } from './row-decoder.ts';

export class PointScan implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly layout: TableLayout;
  private readonly index: IndexLayout | undefined;
  private readonly interval: Interval;
  private readonly decoder: RowDecoder;
  private readonly out: DenseBatch;
  private isDone = false;

  constructor(plan: ScanPlan, interval: KeyInterval, run: QueryRun, site: OperatorProfile) {
    const { access, table } = plan;
    this.site = site;
    this.run = run;
    this.layout = tableLayout(table);
    this.index = access.kind === 'index' ? indexLayout(table, access.index) : undefined;
    this.interval = new Interval(interval, run.frame);
    this.decoder = new RowDecoder(table, plan.columns);
    this.out = new DenseBatch(plan.columns.length);
    this.out.count = 1;
  }

  open(): void {
    this.isDone = false;
  }

  next(): Batch | undefined | Pending {
    this.site.calls++;
    if (this.isDone) return undefined;
    const wait = this.run.budget.pause(8);
    if (wait !== undefined) return wait;
    const found = this.read();
    if (found instanceof Promise) return found;
    this.isDone = true;
    if (!found) return undefined;
    this.site.rowsOut++;
    return this.out;
  }

  close(): void {}

  private read(): boolean | Pending {
    const key = this.rowKey();
    if (key === undefined) return false;
    if (key instanceof Promise) return key;
    const found = this.run.view.find(key);
    if (found === undefined) return false;
    if (found instanceof Promise) return found;
    this.decoder.decodeFetched(key, found, this.out.columns, 0);
    return true;
  }

  private rowKey(): Uint8Array | undefined | Pending {
    this.run.current = this.site;
    const values = this.interval.prefixValues();
    if (values === undefined) return undefined;
    if (this.index === undefined) return this.layout.keyOfValues(values);
    const key = this.index.uniqueKey(values);
    const entry = this.run.view.get(key);
    if (entry === undefined || entry instanceof Promise) return entry;
    return this.index.rowKeyOfEntry(key, 0, key.length, entry, 0, entry.length);
  }
}
