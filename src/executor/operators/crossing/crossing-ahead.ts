/** The rows that come next in a batch have theirs read for a crossing at once, a window of them at a time. */

import type { Pending } from '#base';
import type { CrossingPlan, RowsAhead as RowsAheadPlan } from '#planner';
import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { setRegisters } from '../join/lookup-join.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { IndexScan } from '../scan/index-scan.ts';
import { RowsAhead, type RunAhead } from '../scan/rows-ahead.ts';
import type { Memo } from './memo.ts';
import { RunTogether } from './run-together.ts';

export class CrossingAhead {
  private readonly plan: CrossingPlan;
  private readonly rows: number;
  private readonly run: QueryRun;
  private readonly source: RowsAhead;
  private readonly window: number;
  /** Hands on what was read, and reads on by itself; absent where runs are together, or else alone from their start. */
  private readonly scan: IndexScan | undefined;
  /** Absent: the plan runs for each row. */
  private readonly together: RunTogether | undefined;
  /** Rows [from, from + runs.length) of the selection have been looked at; undefined: the value is known, or one row is read alone. */
  private from = 0;
  private runs: (RunAhead | undefined)[] = [];
  private step: 'idle' | 'reading' | 'running' = 'idle';

  private constructor(plan: CrossingPlan, rows: number, run: QueryRun, ways: Ways) {
    this.plan = plan;
    this.rows = rows;
    this.run = run;
    this.scan = ways.scan;
    this.source = ways.source;
    this.together = ways.together;
    this.window = this.source.runsMax(rows);
  }

  /** Undefined when rows are so wide that each run is better read alone. */
  static of(
    plan: CrossingPlan,
    ahead: RowsAheadPlan,
    operator: Operator,
    run: QueryRun,
  ): CrossingAhead | undefined {
    const ways = waysOf(plan, ahead, operator, run);
    if (ways === undefined) return undefined;
    const made = new CrossingAhead(plan, ahead.rows, run, ways);
    return made.window < 2 ? undefined : made;
  }

  /** Memory of values that are not handed on yet. */
  get bytes(): number {
    return this.together?.bytes ?? 0;
  }

  /** What was read is let go of. */
  forget(): void {
    this.source.drop();
    this.together?.drop();
    this.from = 0;
    this.runs = [];
    this.step = 'idle';
  }

  /** Sees to it that the row `at` of the selection has been looked at. After a wait to be called again. */
  read(batch: Batch, at: number, memo: Memo | undefined): Pending | undefined {
    if (this.step === 'idle') {
      if (at < this.from + this.runs.length) return undefined;
      if (!this.look(batch, at, memo)) return undefined;
      this.step = 'reading';
    }
    if (this.step === 'reading') {
      const wait = this.source.read(this.rows);
      if (wait !== undefined) return wait;
      this.step = 'running';
    }
    const wait = this.together?.run(this.source);
    if (wait !== undefined) return wait;
    this.step = 'idle';
    return undefined;
  }

  /** The value of the row `at`, when the plan has been run for it. */
  valueOf(at: number): Datum | undefined {
    if (this.together === undefined) return undefined;
    const run = this.runs[at - this.from];
    return run === undefined ? undefined : this.together.outcomeOf(run);
  }

  /** The plan has been opened for the row `at`. */
  begin(at: number): void {
    const run = this.runs[at - this.from];
    if (run !== undefined) this.scan?.begin(run);
  }

  /** True: there is something to read. */
  private look(batch: Batch, at: number, memo: Memo | undefined): boolean {
    const { plan, run, source } = this;
    source.drop();
    this.together?.drop();
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

interface Ways {
  readonly source: RowsAhead;
  readonly scan: IndexScan | undefined;
  readonly together: RunTogether | undefined;
}

function waysOf(
  plan: CrossingPlan,
  ahead: RowsAheadPlan,
  operator: Operator,
  run: QueryRun,
): Ways | undefined {
  const found = run.indexScans?.get(ahead.scan);
  const scan = found instanceof IndexScan ? found : undefined;
  const together = ahead.together ? RunTogether.of(plan, operator, run) : undefined;
  if (together !== undefined) {
    const source = scan?.rowsAhead() ?? new RowsAhead(together.scanPlan, run, together.scanSite);
    return { source, scan, together };
  }
  return scan && { source: scan.rowsAhead(), scan, together };
}
