/**
 * Sorts its whole input, or finds the first rows of the order. Every key of every row that is read is evaluated. If the input arrives in the
 * order of the first terms, it is read only as far as its rows can be in the result. Rows that exceed the memory of the program are spilled in
 * sorted runs.
 */

import type { Pending } from '#base';
import { countAt, type SortPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { gatherOfPieces } from '../../batch/chunked-column.ts';
import { windowEnd } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection, Scratch, type Vector } from '../../batch/vector.ts';
import { compileAll } from '../../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../../kernels/kernel.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { ProgramSpill } from '../../spill/program-spill.ts';
import { withSmallBatches } from '../batch-splitter.ts';
import { columnIndexesIn } from '../expression-columns.ts';
import { rowsOfTerms } from '../expression-size.ts';
import type { Operator, QueryRun } from '../operator.ts';
import type { RunningBound } from '../scan/running-bound.ts';
import { Candidates } from './candidates.ts';
import type { MergeSort } from './merge-sort.ts';
import { RankWindow } from './rank-window.ts';
import { SortedRuns } from './sorted-runs.ts';

/** Largest limit for which rows that cannot be in the result are dropped while the input is read. */
const topRowsMax = 8192;
/** Number of rows above twice the limit at which rows are dropped. */
const spareRows = 128;

export class Sort implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly plan: SortPlan;
  private readonly kernels: readonly Kernel[];
  private readonly reservation: MemoryReservation;
  /** Memory of the spilled runs: the blocks that are being written, and the records of the written ones. */
  private readonly spillHolding: MemoryReservation;
  private readonly scratch = new Scratch();
  /** Number of first rows of the order that are left out. */
  private skip = 0;
  /** Number of first rows of the order after which the result ends. */
  private limit: number;
  /** The ranks of the result without the rows that sort before the window; undefined if the rows are not chosen by their ranks. */
  private ranks: RankWindow | undefined;
  /** Number of first terms in whose order the input arrives: reading can then stop early. The number is 0 without a limit. */
  private readonly presorted: number;
  /** The bound on the column that is the first term: the input need not return rows beyond the last one that may be in the result. */
  private firstBound: RunningBound | undefined;
  private isOver = false;
  /** Maximum number of rows that are returned without a yield; fewer if they are wide. */
  private readonly rowsMax: number;
  private readonly pause = (rows: number) => this.run.budget.pause(rows);
  private held: Candidates;
  private sorting: MergeSort | undefined;
  /** The spilled runs. */
  private runs: SortedRuns | undefined;
  /** Whether the rows in memory are being spilled. */
  private isSpilling = false;
  private isRead = false;
  private at = 0;
  /** Number of rows to request from the input next. */
  private ask = batchRowsMax;

  constructor(plan: SortPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    const terms = plan.terms.map((term) => term.expression);
    this.input = withSmallBatches(input, plan.input, terms, run);
    this.kernels = compileAll(terms, run.frame);
    this.rowsMax = rowsOfTerms(plan.output.length);
    this.reservation = run.memory.reservation(site);
    this.spillHolding = run.memory.reservation(site);
    this.limit = countAt(plan.limit ?? Number.POSITIVE_INFINITY, run.frame.parameters);
    this.presorted = plan.limit === undefined ? 0 : (plan.presorted ?? 0);
    if (this.limit <= topRowsMax) this.firstBound = this.boundOfFirst(true);
    this.held = new Candidates(plan);
  }

  leaveOut(rows: number): boolean {
    const type = this.plan.terms[0]?.type;
    const isNumber = type === 'int64' || type === 'float64';
    const isFar = rows > topRowsMax && this.limit <= 2 * rows;
    if (!isFar || !isNumber || this.presorted > 0) return false;
    if (this.input.isRepeatable !== true || this.kernels.some((kernel) => kernel.canFail)) {
      return false;
    }
    this.ranks = this.windowOf(rows, this.limit);
    return true;
  }

  open(): void {
    if (this.ranks !== undefined) this.ranks.open();
    else if (this.limit > 0) this.input.open();
    this.forget();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    if (this.limit === 0) return undefined;
    const wait = (this.isRead ? undefined : this.consume()) ?? this.sort();
    if (wait !== undefined) return wait;
    return this.runs === undefined ? this.nextHeld(wanted) : this.nextOfRuns(this.runs, wanted);
  }

  close(): void {
    this.input.close();
    this.forget();
  }

  private nextHeld(wanted: number): Batch | undefined | Pending {
    const from = Math.max(this.at, this.skip);
    const length = Math.min(this.held.length, this.limit);
    const to = windowEnd(from, length, Math.min(wanted, this.rowsMax));
    if (to <= from) return undefined;
    const pause = this.run.budget.pause((to - from) * (batchRowsMax / this.rowsMax));
    if (pause !== undefined) return pause;
    this.at = to;
    this.site.rowsOut += to - from;
    const order = (this.sorting as MergeSort).order;
    const columns = this.held.rows.columns.map((column) => gatherOfPieces(column, order, from, to));
    return { columns, selection: denseSelection, count: to - from };
  }

  private nextOfRuns(runs: SortedRuns, wanted: number): Batch | undefined | Pending {
    const pause = this.skipOfRuns(runs) ?? this.run.budget.pause(batchRowsMax);
    if (pause !== undefined) return pause;
    const left = Math.min(wanted, this.rowsMax, this.limit - this.at);
    const batch = left <= 0 ? undefined : runs.next(left);
    if (batch === undefined) return undefined;
    this.at += batch.count;
    this.site.rowsOut += batch.count;
    return { ...batch, columns: batch.columns.slice(0, this.plan.output.length) };
  }

  private skipOfRuns(runs: SortedRuns): Pending | undefined {
    while (this.at < this.skip) {
      const pause = this.run.budget.pause(batchRowsMax);
      if (pause !== undefined) return pause;
      const batch = runs.next(Math.min(batchRowsMax, this.skip - this.at));
      if (batch === undefined) return undefined;
      this.at += batch.count;
    }
    return undefined;
  }

  private forget(): void {
    this.held = new Candidates(this.plan);
    this.sorting = undefined;
    this.runs?.close();
    this.runs = undefined;
    this.isSpilling = false;
    this.isRead = false;
    this.isOver = false;
    this.skip = 0;
    this.limit = this.ranks?.ranks.end ?? this.limit;
    this.ask = this.presorted > 0 ? Math.min(this.limit + 1, batchRowsMax) : batchRowsMax;
    this.at = 0;
    this.reservation.resize(0);
    this.spillHolding.resize(0);
  }

  private consume(): Pending | undefined {
    if (this.ranks?.isFound === false) {
      const wait = this.ranks.find();
      if (wait !== undefined) return wait;
      this.takeWindow(this.ranks);
    }
    for (;;) {
      const wait = this.add() ?? this.cut() ?? this.makeRoom();
      if (wait !== undefined) return wait;
      if (this.isOver) break;
      const batch = this.input.next(this.ask);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.ask = Math.min(2 * this.ask, batchRowsMax);
      this.run.current = this.site;
      this.hold(batch);
    }
    if (this.isOver) this.input.close();
    this.isRead = true;
    return undefined;
  }

  private add(): Pending | undefined {
    const { held } = this;
    const wait = held.add(this.pause);
    if (wait !== undefined) return wait;
    this.isOver ||= this.presorted > 0 && held.endsBehind(this.limit);
    return undefined;
  }

  /** Accounts the rows in memory. Spills them if they take too much, unless the limit is small and few rows are kept anyway. */
  private makeRoom(): Pending | undefined {
    if (this.isSpilling) return this.spillRows();
    const { bytes } = this.held;
    if (this.limit <= topRowsMax) this.reservation.resize(bytes);
    else this.isSpilling = !this.reservation.fits(bytes);
    return this.isSpilling ? this.spillRows() : undefined;
  }

  private spillRows(): Pending | undefined {
    const { held } = this;
    this.runs ??= new SortedRuns(this.plan, this.run.memory.spill as ProgramSpill);
    this.sorting ??= held.sort();
    const wait = this.sorting.run(this.pause) ?? this.runs.put(held, this.sorting, this.pause);
    if (wait !== undefined) return wait;
    this.held = new Candidates(this.plan);
    this.sorting = undefined;
    this.isSpilling = false;
    this.reservation.resize(0);
    this.spillHolding.resize(this.runs.bytes);
    return undefined;
  }

  /** Drops rows that cannot be in the result, once there are enough of them. */
  private cut(): Pending | undefined {
    const { held, limit } = this;
    if (limit > topRowsMax || held.length < 2 * limit + spareRows) return undefined;
    const wait = held.cut(limit, this.pause);
    if (wait !== undefined) return wait;
    this.reservation.resize(held.bytes);
    this.drawBound();
    return undefined;
  }

  private boundOfFirst(needsNull: boolean): RunningBound | undefined {
    const first = this.plan.terms[0];
    if (this.presorted > 0 || first?.expression.kind !== 'column') return undefined;
    if (this.kernels.some((kernel) => kernel.canFail)) return undefined;
    const bound = this.input.bound?.(first.expression.columnIndex);
    // NULL sorts first: blocks that contain NULL must not be left out, and the scan does not know which do.
    return needsNull && bound?.isNullable === true && !first.descending ? undefined : bound;
  }

  /** Counts and chooses ranks from the first row of the window on, and lets the input leave out rows beyond it. */
  private takeWindow({ ranks, before, isEmpty, bounds }: RankWindow): void {
    this.skip = ranks.first - before;
    this.limit = ranks.end - before;
    if (!isEmpty) this.site.rowsOut += ranks.first;
    this.isOver = isEmpty;
    this.firstBound = this.boundOfFirst(bounds === undefined);
    if (bounds === undefined) return;
    this.firstBound?.draw(bounds.min, true);
    this.firstBound?.draw(bounds.max, false);
  }

  private windowOf(first: number, end: number): RankWindow {
    const { plan, input, run, site } = this;
    const [term] = plan.terms;
    return new RankWindow(
      {
        input,
        key: this.kernels[0] as Kernel,
        descending: term?.descending === true,
        keyColumns: columnIndexesIn(plan.terms.slice(0, 1).map(({ expression }) => expression)),
        columns: new Set(plan.input.output.keys()),
        reservation: run.memory.reservation(site),
        bytesMax: run.memory.shareBytes,
        fewRows: topRowsMax,
      },
      { first, end },
    );
  }

  private drawBound(): void {
    this.firstBound?.draw(this.held.firstKeyBar, this.plan.terms[0]?.descending === true);
  }

  private hold(batch: Batch): void {
    const keys: Vector[] = this.kernels.map((kernel) => evaluateBatch(kernel, batch));
    this.isOver = this.presorted > 0 && this.held.isBehind(this.limit, batch, keys);
    const inWindow = this.ranks?.select(batch, keys[0] as Vector) ?? batch;
    this.held.offer(inWindow, keys, this.scratch);
  }

  private sort(): Pending | undefined {
    if (this.runs !== undefined) return this.sortRuns(this.runs);
    this.sorting ??= this.held.sort();
    return this.sorting.run(this.pause);
  }

  private sortRuns(runs: SortedRuns): Pending | undefined {
    const wait = (this.held.length > 0 ? this.spillRows() : undefined) ?? runs.prepare(this.pause);
    if (wait !== undefined) return wait;
    this.spillHolding.resize(runs.bytes);
    return undefined;
  }
}
