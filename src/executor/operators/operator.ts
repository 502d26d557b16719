/** The contract of operators, and what they share of the query that they run in. */

import type { Pending } from '#base';
import type { RelationPlan } from '#planner';
import type { ReadView } from '#storage';
import type { Batch } from '../batch/batch.ts';
import type { RowStore } from '../batch/row-store.ts';
import type { Budget } from '../budget.ts';
import type { Frame } from '../kernels/compile.ts';
import type { Memory } from '../memory.ts';
import type { Site } from '../site.ts';
import type { RunningBound } from './scan/running-bound.ts';

/** Polled: all progress stands in fields, so that `next` can be asked again after a wait. */
export interface Operator {
  readonly site: Site;
  /** Starts a run, or starts anew. Touches no data and evaluates nothing: that is left to the first `next`. */
  open(): void;
  /**
   * The next batch, undefined at the end (and from then on), or a wait after which the same is asked again. `wanted` is how many rows of
   * it the caller has use for: a hint, more or fewer may come.
   */
  next(wanted: number): Batch | undefined | Pending;
  /** Gives up cursors; a closed operator can be opened again. */
  close(): void;
  /** Before the first run: the receiver reads these column indexes only, and others may hold anything. */
  narrowTo?(columnIndexes: ReadonlySet<number>): void;
  /**
   * A bound on the values of the output column at `columnIndex`, for the receiver to draw closer between two batches: rows beyond it may be left
   * out. Undefined where nobody could make use of it, or where a row that is left out could have failed.
   */
  bound?(columnIndex: number): RunningBound | undefined;
}

/** Rows that are computed at most once, when the first of their readers asks. */
export interface Materialized {
  readonly rows: RowStore;
  /** Computes the rows, if that is still to be done. */
  fill(): Pending | undefined;
}

/** The frontier of a recursion: rows [from, to) of what it has found so far. */
export interface Frontier {
  readonly rows: RowStore;
  readonly from: number;
  readonly to: number;
}

/** Told of every operator that is made, before anybody asks it. */
interface OperatorWatch {
  watch(operator: Operator, plan: RelationPlan): void;
}

/** What the operators of one statement share. */
export interface QueryRun {
  readonly view: ReadView;
  readonly budget: Budget;
  readonly memory: Memory;
  readonly frame: Frame;
  /** Values of enclosing rows, set by whoever runs a plan for a row. */
  readonly registers: Frame['registers'][number][];
  readonly bindings: Map<string, Materialized>;
  readonly frontiers: Map<string, Frontier>;
  /** Results of earlier statements. */
  readonly results: ReadonlyMap<string, RowStore>;
  /** Scans and slices of inner plans that read for a window of outer rows, by the ids of their plans: undefined until they are made. */
  windows: Map<number, Operator | undefined> | undefined;
  /** Of every operator, in the order of their making. */
  readonly sites: Site[];
  /** The operator that evaluates right now: named in a failure of an expression. */
  current: Site | undefined;
  /** Absent: nobody wants to know how long operators work. */
  readonly trace?: OperatorWatch | undefined;
}
