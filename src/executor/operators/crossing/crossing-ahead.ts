/** The rows that come next in a batch have theirs read for a crossing at once, a window of them at a time. */

import type { Pending } from '#base';
import type { CrossingPlan, RowsAhead as RowsAheadPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { setRegisters } from '../join/lookup-join.ts';
import type { QueryRun } from '../operator.ts';
import { IndexScan } from '../scan/index-scan.ts';
import type { RowsAhead, RunAhead } from '../scan/rows-ahead.ts';
import type { Memo } from './memo.ts';

export class CrossingAhead {
  private readonly plan: CrossingPlan;
  private readonly rows: number;
  private readonly run: QueryRun;
  private readonly scan: IndexScan;
  private readonly source: RowsAhead;
  private readonly window: number;
  /** Rows [from, from + runs.length) of the selection have been looked at; undefined: the value is known, or one row is read alone. */
  private from = 0;
  private runs: (RunAhead | undefined)[] = [];
  private isReading = false;

  private constructor(plan: CrossingPlan, rows: number, scan: IndexScan, run: QueryRun) {
    this.plan = plan;
    this.rows = rows;
    this.run = run;
    this.scan = scan;
    this.source = scan.rowsAhead();
    this.window = this.source.runsMax(rows);
  }

  /** Undefined when rows are so wide that each run is better read alone. */
  static of(plan: CrossingPlan, ahead: RowsAheadPlan, run: QueryRun): CrossingAhead | undefined {
    const scan = run.indexScans?.get(ahead.scan);
    if (!(scan instanceof IndexScan)) return undefined;
    const made = new CrossingAhead(plan, ahead.rows, scan, run);
    return made.window < 2 ? undefined : made;
  }

  /** What was read is let go of. */
  forget(): void {
    this.source.drop();
    this.from = 0;
    this.runs = [];
    this.isReading = false;
  }

  /** Sees to it that the row `at` of the selection has been looked at. After a wait to be called again. */
  read(batch: Batch, at: number, memo: Memo | undefined): Pending | undefined {
    if (!this.isReading) {
      if (at < this.from + this.runs.length) return undefined;
      this.isReading = this.look(batch, at, memo);
    }
    if (!this.isReading) return undefined;
    const wait = this.source.read(this.rows);
    if (wait !== undefined) return wait;
    this.isReading = false;
    return undefined;
  }

  /** The plan has been opened for the row `at`. */
  begin(at: number): void {
    const run = this.runs[at - this.from];
    if (run !== undefined) this.scan.begin(run);
  }

  /** True: there is something to read. */
  private look(batch: Batch, at: number, memo: Memo | undefined): boolean {
    const { plan, run, source } = this;
    source.drop();
    this.from = at;
    this.runs = [];
    const end = Math.min(at + this.window, batch.count);
    let offered = 0;
    for (let i = at; i < end; i++) {
      setRegisters(plan.registers, batch, batch.selection[i] as number, run.registers);
      const isKnown = memo?.recall(plan.registers, run.registers) !== undefined;
      if (!isKnown) offered++;
      this.runs.push(isKnown ? undefined : source.offer());
    }
    if (offered > 1) return true;
    source.drop();
    this.runs.fill(undefined);
    return false;
  }
}
