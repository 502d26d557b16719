/**
 * Physical relations: what the executor runs. Output columns are positions ("column indexes"): each node says how its output row is made
 * of its inputs' rows. Every node has an `id`, unique in its statement, that diagnostics and failures refer to.
 */

import type { Column, Index, Table } from '#catalog';
import type { CrossingKind } from '#lir';
import type { OutputColumn } from '#value';
import type { Origin } from '../cost/estimate.ts';
import type { PlanExpression, PlanFold, SortTerm } from './expression.ts';
import type { RowCount } from './row-count.ts';

interface PlanNode {
  readonly id: number;
  readonly output: readonly OutputColumn[];
  /** The planner's guess of rows per run. */
  readonly estimatedRows: number;
  /** What the guess rests on; absent where it follows from those of the inputs. */
  readonly estimatedFrom?: Origin;
  /** Which relation of the query these rows are, whatever the plan: for feedback. Absent where it runs for rows of another one. */
  readonly part?: string;
  /** For people and diagnostics; absent on nodes that the planner adds. */
  readonly facts?: PlanFacts;
}

export interface PlanFacts {
  /** LIR node whose rows these are. */
  readonly node: string;
  /** Upper row bound, where there is one. */
  readonly rowsMax: number | undefined;
  /** What the rows are sorted by, such as `id` or `rank desc`. */
  readonly order: readonly string[];
}

/** Where an interval of keys ends on one side: the values fix the leading key columns one by one. */
export interface KeyBound {
  /** For the columns after the equal prefix; at most one value. NULL is a value here. */
  readonly value: PlanExpression;
  readonly inclusive: boolean;
}

/**
 * Which entries a scan touches. `prefix` pins leading key columns by equality (a NULL pins nothing: no rows, unless `nullPrefix`
 * says that this member means IS NULL); `lower` and `upper` bound the next key column, and never admit NULL unless both are absent.
 * `among` stands in their place: the next key column equals one of these values, each counted once, NULL never.
 * Expressions contain no columns: only parameters and registers.
 */
export interface KeyInterval {
  readonly prefix: readonly { readonly value: PlanExpression; readonly isNull: boolean }[];
  readonly among?: readonly PlanExpression[];
  readonly lower: KeyBound | undefined;
  readonly upper: KeyBound | undefined;
}

export type Access =
  /** The whole table in primary-key order. */
  | { readonly kind: 'table' }
  | { readonly kind: 'primary'; readonly interval: KeyInterval }
  | { readonly kind: 'index'; readonly index: Index; readonly interval: KeyInterval };

/** The key of the one row that a scan reads: each member of a primary key or of a unique index is pinned to a value that is not NULL. */
export interface PointKey {
  /** The parameter that each member is, in key order; undefined where a member is a value of an enclosing row. */
  readonly parameters: readonly number[] | undefined;
}

export interface ScanPlan extends PlanNode {
  readonly kind: 'scan';
  readonly table: Table;
  /** The columns that are read, in output order. */
  readonly columns: readonly Column[];
  readonly access: Access;
  /** Absent: more than one row may be read. */
  readonly point?: PointKey;
  readonly reverse: boolean;
  /** The index that is read holds all of `columns`: rows are not fetched. */
  readonly isCovered?: boolean;
  /** Blocks that hold no row of interest are read as well. */
  readonly readsAll?: boolean;
  /** The alternatives with their cost, for people. */
  readonly why?: string;
}

export interface RowsPlan extends PlanNode {
  readonly kind: 'rows';
  /** `parameters[parameter]` holds the rows. */
  readonly parameter: number;
}

export interface FilterPlan extends PlanNode {
  readonly kind: 'filter';
  readonly input: RelationPlan;
  readonly predicate: PlanExpression;
}

export interface ProjectPlan extends PlanNode {
  readonly kind: 'project';
  readonly input: RelationPlan;
  readonly expressions: readonly PlanExpression[];
}

/** Output: the left columns, then the right ones; right ones are NULL for an unmatched left row of a left join. */
export interface HashJoinPlan extends PlanNode {
  readonly kind: 'hash_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  /** Pairs of keys, over the left and over the right row. A NULL on either side never matches. */
  readonly leftKeys: readonly PlanExpression[];
  readonly rightKeys: readonly PlanExpression[];
  /** Over the joined row; a pair must pass it too. */
  readonly residual: PlanExpression | undefined;
  /** Which side is held in memory; a left join always holds the right. */
  readonly build: 'left' | 'right';
}

/** For every left row the right plan runs with registers set from it (`AppliedPlan`): an index or key lookup. */
export interface LookupJoinPlan extends PlanNode {
  readonly kind: 'lookup_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  readonly registers: readonly RegisterBinding[];
  readonly ahead?: RowsAhead;
  readonly residual: PlanExpression | undefined;
}

/** Both sides come in the ascending order of their keys, which are columns: each is read once, and none is held as a whole. A NULL never matches. */
export interface MergeJoinPlan extends PlanNode {
  readonly kind: 'merge_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  /** Column indexes, in the order that the rows come in. */
  readonly leftKeys: readonly number[];
  readonly rightKeys: readonly number[];
  /** The side whose rows are put beside those of the other, in whose order the result comes. */
  readonly held: 'left' | 'right';
  /** The held side has at most one row of a key. */
  readonly isUnique: boolean;
}

/** A join without usable equality: the right side is held in memory. */
export interface LoopJoinPlan extends PlanNode {
  readonly kind: 'loop_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  readonly on: PlanExpression;
}

export interface RegisterBinding {
  readonly register: number;
  /** Column index of the row that sets it. */
  readonly columnIndex: number;
}

/** Appends one column per crossing to each input row. */
export interface AttachPlan extends PlanNode {
  readonly kind: 'attach';
  readonly input: RelationPlan;
  readonly crossings: readonly CrossingPlan[];
}

/** A scan that may read up to `rows` of its first rows for each of several outer rows at once. */
export interface RowsAhead {
  /** Id of its plan. */
  readonly scan: number;
  readonly rows: number;
  /** The whole plan may run once for all of them: what comes out for a row is what comes out of its rows. */
  readonly together?: true;
  /** Id of the slice above the scan of such a plan. */
  readonly slice?: number;
}

/** A plan that runs for the rows of another one. */
export interface AppliedPlan {
  readonly plan: RelationPlan;
  /** Registers that the plan (at any depth) reads from the outer row. */
  readonly registers: readonly RegisterBinding[];
  /** Absent: each run reads for itself. */
  readonly ahead?: RowsAhead;
}

/** Without registers: evaluated once per run of the attach. */
export interface CrossingPlan extends AppliedPlan {
  readonly kind: CrossingKind;
  /** Output of the crossing's relation, for row and array data. */
  readonly column: OutputColumn;
}

/**
 * Holds its input, hashed by `keys`, and returns the rows whose keys equal `probe` (registers and parameters only). The hash is built at most
 * once per statement; the input reads no register. This is what makes a correlated relation without an index cheap to run again.
 */
export interface SpoolPlan extends PlanNode {
  readonly kind: 'spool';
  readonly input: RelationPlan;
  readonly keys: readonly PlanExpression[];
  readonly probe: readonly PlanExpression[];
}

export interface AggregatePlan extends PlanNode {
  readonly kind: 'aggregate';
  readonly input: RelationPlan;
  /** Output: groups, then folds. No groups: exactly one row. */
  readonly groups: readonly PlanExpression[];
  readonly folds: readonly PlanFold[];
  readonly isGlobal: boolean;
}

export interface SortPlan extends PlanNode {
  readonly kind: 'sort';
  readonly input: RelationPlan;
  readonly terms: readonly SortTerm[];
  /** Keep only the first rows of the order (top-k); int64 range. */
  readonly limit: RowCount | undefined;
  /**
   * The input comes in the order of so many first terms: once `limit` rows are held and a row comes after the last of them by these terms
   * alone, no later row can be in the result, and reading may stop. Absent: 0.
   */
  readonly presorted?: number;
}

export interface SlicePlan extends PlanNode {
  readonly kind: 'slice';
  readonly input: RelationPlan;
  readonly offset: RowCount;
  readonly limit: RowCount | undefined;
}

export interface DistinctPlan extends PlanNode {
  readonly kind: 'distinct';
  readonly input: RelationPlan;
}

export interface ConcatenatePlan extends PlanNode {
  readonly kind: 'concatenate';
  readonly inputs: readonly RelationPlan[];
}

export interface SetPlan extends PlanNode {
  readonly kind: 'intersect' | 'except';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  readonly quantifier: 'all' | 'distinct';
}

/** Rows of a local binding (`bindings[name]` of the statement) or of an earlier statement's result. */
export interface MaterializedPlan extends PlanNode {
  readonly kind: 'materialized';
  readonly source:
    | { readonly kind: 'binding'; readonly name: string }
    | { readonly kind: 'statement'; readonly name: string };
  /** Columns taken of the source, in output order. */
  readonly columnIndexes: readonly number[];
}

/** The frontier of the recursive binding that is being run. */
export interface FrontierPlan extends PlanNode {
  readonly kind: 'frontier';
  readonly binding: string;
}

export type RelationPlan =
  | ScanPlan
  | RowsPlan
  | FilterPlan
  | ProjectPlan
  | HashJoinPlan
  | MergeJoinPlan
  | LookupJoinPlan
  | LoopJoinPlan
  | AttachPlan
  | SpoolPlan
  | AggregatePlan
  | SortPlan
  | SlicePlan
  | DistinctPlan
  | ConcatenatePlan
  | SetPlan
  | MaterializedPlan
  | FrontierPlan;

export type BindingPlan =
  | { readonly kind: 'derived'; readonly name: string; readonly plan: RelationPlan }
  | {
      readonly kind: 'recursive';
      readonly name: string;
      readonly anchor: RelationPlan;
      /** Produces the anchor's columns in the anchor's order. */
      readonly step: RelationPlan;
      readonly accumulation: 'all' | 'new';
      readonly output: readonly OutputColumn[];
    };
