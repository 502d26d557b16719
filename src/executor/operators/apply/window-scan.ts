/** The scan of an inner plan. If the window has read rows for it, it returns these, and might then have to read further rows itself. */

import type { Pending } from '#base';
import type { PlanExpression, ScanPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { IndexScan } from '../scan/index-scan.ts';
import { RangeScan } from '../scan/range-scan.ts';

export class WindowScan implements Operator {
  readonly site: OperatorProfile;
  readonly plan: ScanPlan;
  private readonly run: QueryRun;
  private readonly scan: Operator;
  private given: Batch | undefined;
  private isWhole = true;
  /** Number of given rows that were returned. */
  private handed = 0;
  /** Number of rows of the scan to skip, because they were returned already. */
  private skips = 0;

  constructor(plan: ScanPlan, scan: Operator, run: QueryRun) {
    this.site = scan.site;
    this.plan = plan;
    this.scan = scan;
    this.run = run;
  }

  /** Whether a run may begin with only some of its rows: an index scan returns the same rows first, whatever the operators above it request. */
  get readsOn(): boolean {
    return this.scan instanceof IndexScan;
  }

  /**
   * Sets the rows of the runs that begin with the next `open`; undefined if each run reads its own rows. `isWhole` states that the runs have no
   * other rows.
   */
  give(rows: Batch | undefined, isWhole: boolean): void {
    this.given = rows;
    this.isWhole = isWhole;
  }

  /** Narrows the runs that read their own rows to the predicate of the filter above. */
  narrow(predicate: PlanExpression): void {
    if (this.scan instanceof RangeScan) this.scan.narrow(predicate);
  }

  open(): void {
    this.handed = 0;
    this.skips = 0;
    if (this.given === undefined) this.scan.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    if (this.given === undefined) return this.readOn(wanted);
    const { columns, selection, count } = this.given;
    const taken = Math.min(wanted, count - this.handed);
    if (taken <= 0) {
      if (this.isWhole) return undefined;
      this.skips = this.handed;
      this.given = undefined;
      this.scan.open();
      return this.readOn(wanted);
    }
    const wait = this.run.budget.pause(taken);
    if (wait !== undefined) return wait;
    this.site.calls++;
    this.site.rowsOut += taken;
    const from = this.handed;
    this.handed += taken;
    if (taken === count) return this.given;
    return { columns, selection: selection.subarray(from, this.handed), count: taken };
  }

  close(): void {
    this.scan.close();
  }

  private readOn(wanted: number): Batch | undefined | Pending {
    for (;;) {
      const batch = this.scan.next(Math.min(wanted + this.skips, batchRowsMax));
      if (this.skips === 0 || batch === undefined || batch instanceof Promise) return batch;
      const skipped = Math.min(this.skips, batch.count);
      this.skips -= skipped;
      // Rows that the window has read were counted when they were returned.
      this.site.rowsOut -= skipped;
      if (skipped === batch.count) continue;
      const { columns, selection, count } = batch;
      return { columns, selection: selection.slice(skipped, count), count: count - skipped };
    }
  }
}
