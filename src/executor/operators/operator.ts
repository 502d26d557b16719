/** The contract of operators, and the state of the query that they share. */

import type { Pending } from '#base';
import type { RelationPlan } from '#planner';
import type { ReadView } from '#storage';
import type { Batch } from '../batch/batch.ts';
import type { Budget } from '../budget.ts';
import type { Frame } from '../kernels/compile.ts';
import type { Memory } from '../memory.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { RowList } from '../spill/row-list.ts';
import type { RunningBound } from './scan/running-bound.ts';

/** An operator is polled: it keeps all progress in fields, so that `next` can be called again after a wait. */
export interface Operator {
  readonly site: OperatorProfile;
  /** Starts a run or restarts. Reads no data and evaluates nothing; the first `next` does that. */
  open(): void;
  /**
   * Returns the next batch, or undefined at the end and from then on. If it returns a wait, the caller calls again after it. `wanted` is the
   * number of rows that the caller can use. This number is a hint: the batch may have more or fewer.
   */
  next(wanted: number): Batch | undefined | Pending;
  /**
   * Returns the number of the next rows instead of the rows, of any number, or undefined at the end and from then on. A caller that begins with
   * this method never calls `next` in the same run.
   */
  nextCount?(): number | undefined | Pending;
  /** Closes cursors; a closed operator can be opened again. */
  close(): void;
  /**
   * Is called before a run: until the next call, the receiver reads only these column indexes, and the other columns may have any contents. Those in
   * `numbered` may have any contents, too, in batches whose source for the column has `values`. Only an operator with `isRepeatable` can be called
   * after its first run.
   */
  narrowTo?(columnIndexes: ReadonlySet<number>, numbered?: ReadonlySet<number>): void;
  /**
   * Returns a bound on the values of the output column at `columnIndex`, which the receiver may tighten between two batches; rows beyond it may
   * be left out. Returns `undefined` if no operator can use the bound, or if evaluating a skipped row could have raised an error.
   */
  bound?(columnIndex: number): RunningBound | undefined;
  /** Whether a second run returns the same rows in the same order, for much less than the costs of sorting them. */
  readonly isRepeatable?: boolean;
  /**
   * Is called before the first run: the receiver has no use for the first `rows` rows of each run. Returns whether the operator leaves them out.
   */
  leaveOut?(rows: number): boolean;
}

/** Rows that are computed at most once, at the first request of a reader. */
export interface Materialized {
  readonly rows: RowList;
  /** Computes the rows unless they are complete. After a wait, call it again. */
  fill(): Pending | undefined;
}

/** The frontier of a recursion: the rows [from, to) of all rows that it has found so far. */
interface Frontier {
  readonly rows: RowList;
  readonly from: number;
  readonly to: number;
}

/** Is called for every operator after its creation and before its first use. */
interface OperatorWatch {
  watch(operator: Operator, plan: RelationPlan): void;
}

/** The state that the operators of one statement share. */
export interface QueryRun {
  readonly view: ReadView;
  readonly budget: Budget;
  readonly memory: Memory;
  readonly frame: Frame;
  /** Values of enclosing rows. The operator that runs a plan for each row sets them. */
  readonly registers: Frame['registers'][number][];
  readonly bindings: Map<string, Materialized>;
  readonly frontiers: Map<string, Frontier>;
  /** The lists that operators keep until the end of the statement, which clears them. */
  readonly lists: RowList[];
  /** Results of earlier statements. */
  readonly results: ReadonlyMap<string, RowList>;
  /** The rows that a mutation is about to change, while policies are tested. */
  readonly changed: RowList | undefined;
  /** Scans and slices of inner plans that read for a window of outer rows, by plan id; the value is undefined until the operator is created. */
  windows: Map<number, Operator | undefined> | undefined;
  /** The profiles of all operators, in order of their creation. */
  readonly sites: OperatorProfile[];
  /** The operator that is evaluating an expression; a failure of the expression names it. */
  current: OperatorProfile | undefined;
  /** Records the work of operators; absent if the request has no detailed trace. */
  readonly trace?: OperatorWatch | undefined;
}
