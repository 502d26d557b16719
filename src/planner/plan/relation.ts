/**
 * Physical relations, which the executor runs. Output columns are positions ("column indexes"). Each node defines how its output row is made from the rows
 * of its inputs. Every node has an `id`, unique in its statement, to which diagnostics and failures refer.
 */

import type { Column, Index, Table } from '#catalog';
import type { CrossingKind } from '#lir';
import type { OutputColumn } from '#value';
import type { EstimateSource } from '../cost/estimate.ts';
import type { PlanExpression, PlanFold, SortTerm } from './expression.ts';
import type { RowCount } from './row-count.ts';

interface PlanNode {
  readonly id: number;
  readonly output: readonly OutputColumn[];
  /** Estimated number of rows per run. */
  readonly estimatedRows: number;
  /** Source of the estimate; absent if it follows from the estimates of the inputs. */
  readonly estimatedFrom?: EstimateSource;
  /** Feedback name of these rows, which does not depend on the plan; absent if the node runs once per outer row. */
  readonly part?: string;
  /** Facts for EXPLAIN and diagnostics; absent on nodes that the planner adds. */
  readonly facts?: PlanFacts;
}

export interface PlanFacts {
  /** LIR node whose rows these are. */
  readonly node: string;
  /** Upper bound of the row count; `undefined` if there is none. */
  readonly rowsMax: number | undefined;
  /** The sort order of the rows, such as `id` or `rank desc`. */
  readonly order: readonly string[];
}

/** A bound of a key interval on one side. */
export interface KeyBound {
  /** The bound of the key column after the equal prefix. If it is NULL at run time, the interval is empty. */
  readonly value: PlanExpression;
  readonly inclusive: boolean;
}

/**
 * The entries that a scan reads. `prefix` pins leading key columns by equality. A NULL in it matches no row, unless `isNull` makes that member an IS NULL
 * test. `lower` and `upper` bound the next key column, and exclude NULL unless both are absent. `among` replaces the bounds: the next key column equals one
 * of these values, where duplicates count once and NULL matches no row. Expressions contain only parameters and registers, no columns.
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

/** The key of the only row that a scan reads. Each member of a primary key or unique index is pinned to a value that is not NULL. */
export interface PointKey {
  /** Parameter index of each member, in key order; `undefined` if a member is not a parameter, such as a value of an enclosing row. */
  readonly parameters: readonly number[] | undefined;
}

export interface ScanPlan extends PlanNode {
  readonly kind: 'scan';
  readonly table: Table;
  /** The columns that are read, in output order. */
  readonly columns: readonly Column[];
  readonly access: Access;
  /** The key of the only row, if the scan is proven to read at most one. */
  readonly point?: PointKey;
  readonly reverse: boolean;
  /** The index contains all of `columns`, so rows are not fetched. */
  readonly isCovered?: boolean;
  /** The scan does not skip blocks that cannot contain a matching row. */
  readonly readsAll?: boolean;
  /** The alternatives with their costs, for EXPLAIN. */
  readonly why?: string;
}

export interface RowsPlan extends PlanNode {
  readonly kind: 'rows';
  /** `parameters[parameter]` contains the rows. */
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

/** A hash join. Output: the left columns, then the right columns, which are NULL for an unmatched left row of a left join. */
export interface HashJoinPlan extends PlanNode {
  readonly kind: 'hash_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  /** Pairs of keys, over the left and over the right row. A NULL on either side never matches. */
  readonly leftKeys: readonly PlanExpression[];
  readonly rightKeys: readonly PlanExpression[];
  /** A condition over the joined row, which a pair must satisfy too. */
  readonly residual: PlanExpression | undefined;
  /** The side from which the hash table is built. A left join always builds from the right side. */
  readonly build: 'left' | 'right';
}

/**
 * A lookup join. The join runs the right plan, which is a lookup by key or index, for every left row. The left row sets the registers
 * (`AppliedPlan`).
 */
export interface LookupJoinPlan extends PlanNode {
  readonly kind: 'lookup_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  readonly registers: readonly RegisterBinding[];
  readonly ahead?: PrefetchPlan;
  readonly residual: PlanExpression | undefined;
}

/** A merge join of two sides that are sorted by their keys in ascending order. The keys are columns. Each side is read once, and neither is buffered as a whole. A NULL never matches. */
export interface MergeJoinPlan extends PlanNode {
  readonly kind: 'merge_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  /** Column indexes, in the sort order of the rows. */
  readonly leftKeys: readonly number[];
  readonly rightKeys: readonly number[];
  /** The buffered side. The result is in the order of the other side. */
  readonly held: 'left' | 'right';
  /** The buffered side has at most one row per key. */
  readonly isUnique: boolean;
}

/** A join without a usable equality. The right side is buffered in memory. */
export interface LoopJoinPlan extends PlanNode {
  readonly kind: 'loop_join';
  readonly join: 'inner' | 'left';
  readonly left: RelationPlan;
  readonly right: RelationPlan;
  readonly on: PlanExpression;
}

export interface RegisterBinding {
  readonly register: number;
  /** Column index of the outer row that sets the register. */
  readonly columnIndex: number;
}

/** The apply operator: appends one column per crossing to each input row. */
export interface ApplyPlan extends PlanNode {
  readonly kind: 'attach';
  readonly input: RelationPlan;
  readonly crossings: readonly CrossingPlan[];
}

/** A scan that may prefetch up to `rows` of its first rows for each of several outer rows in one read. */
export interface PrefetchPlan {
  /** Plan id of the scan. */
  readonly scan: number;
  readonly rows: number;
  /** The whole plan may run once for all of these outer rows. Its output for an outer row depends only on the scanned rows of that outer row. */
  readonly together?: true;
  /** Plan id of the slice above the scan, if there is one. */
  readonly slice?: number;
}

/** A plan that runs once per row of another plan. */
export interface AppliedPlan {
  readonly plan: RelationPlan;
  /** Registers that the plan, at any depth, reads from the outer row. */
  readonly registers: readonly RegisterBinding[];
  /** The prefetch for several outer rows. Without it, each run reads for itself. */
  readonly ahead?: PrefetchPlan;
}

/** The plan of a crossing. If it has no registers, it is evaluated once per run of the apply operator. */
export interface CrossingPlan extends AppliedPlan {
  readonly kind: CrossingKind;
  /** Only of a `scalar`: a second row is an error; absent if there is at most one. */
  readonly isChecked?: boolean;
  /** The output column of the crossing. */
  readonly column: OutputColumn;
}

/**
 * A spool. The spool materializes its input, hashed by `keys`, and returns the rows whose keys equal `probe`. `probe` contains only registers and
 * parameters, and the input reads no register. The hash table is built at most once per statement, which makes repeated runs of a correlated
 * relation without an index cheap.
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
  /** Output: groups, then folds. Without groups, the output is exactly one row. */
  readonly groups: readonly PlanExpression[];
  readonly folds: readonly PlanFold[];
  readonly isGlobal: boolean;
}

export interface SortPlan extends PlanNode {
  readonly kind: 'sort';
  readonly input: RelationPlan;
  readonly terms: readonly SortTerm[];
  /** Number of rows to keep, the first ones of the order (top-k), in the range of int64; `undefined` keeps all rows. */
  readonly limit: RowCount | undefined;
  /**
   * Number of leading terms by which the input is already sorted; 0 if absent. If `limit` rows are kept and a row sorts after the last of them by these terms
   * alone, no later row can be in the result. Reading may then stop.
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
    | { readonly kind: 'statement'; readonly name: string }
    | { readonly kind: 'changed'; readonly name: string };
  /** Columns that are read from the source, in output order. */
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
  | ApplyPlan
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
      /** The step, whose output has the columns of the anchor in the same order. */
      readonly step: RelationPlan;
      readonly accumulation: 'all' | 'new';
      readonly output: readonly OutputColumn[];
    };
