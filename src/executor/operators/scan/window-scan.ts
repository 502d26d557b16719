/** A scan below a crossing that may hand on the rows of many runs as one batch in place of its own: whoever has read them says which. */

import type { Pending } from '#base';
import type { PlanExpression } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import type { Site } from '../../site.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { RangeScan } from './range-scan.ts';

export class WindowScan implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly scan: Operator;
  private window: Batch | undefined;
  private isHandedOn = false;

  constructor(scan: Operator, run: QueryRun) {
    this.site = scan.site;
    this.scan = scan;
    this.run = run;
  }

  /** Rows of the runs that begin with the next `open`; undefined: each run reads its own. */
  give(window: Batch | undefined): void {
    this.window = window;
  }

  /** What the filter above lets pass, for the runs that read their own rows. */
  narrow(predicate: PlanExpression): void {
    if (this.scan instanceof RangeScan) this.scan.narrow(predicate);
  }

  open(): void {
    this.isHandedOn = false;
    if (this.window === undefined) this.scan.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    if (this.window === undefined) return this.scan.next(wanted);
    if (this.isHandedOn) return undefined;
    const wait = this.run.budget.pause(this.window.count);
    if (wait !== undefined) return wait;
    this.site.calls++;
    this.site.rowsOut += this.window.count;
    this.isHandedOn = true;
    return this.window.count === 0 ? undefined : this.window;
  }

  close(): void {
    this.scan.close();
  }
}
