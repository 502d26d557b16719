/** The requirements of a consumer on a relation, and the resulting plan. */

import type { BoundColumn } from '../bind/bound.ts';
import type { RowEstimate } from '../cost/estimate.ts';
import type { Ordering, OrderKey } from '../order/ordering.ts';
import { plansBelow } from '../plan/inputs.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { RowCount } from '../plan/row-count.ts';
import type { CorrelationFrame } from './correlation-frame.ts';

/** The columns, rows and order that a consumer requires of a relation. */
export interface Requirements {
  /** Ids of the columns that the consumer reads. */
  readonly needed: ReadonlySet<number>;
  /** Whether the consumer sees the order of the rows. */
  readonly ordered: boolean;
  /** An order that would save the consumer a sort. */
  readonly order: readonly OrderKey[] | undefined;
  /**
   * The consumer keeps the first rows of `order`. The consumer can stop early if the rows are sorted by at least the first keys of that order.
   */
  readonly isTop: boolean;
  /** Maximum number of rows that the consumer takes, starting with the first row in the order of the relation. */
  readonly limit: RowCount | undefined;
  /** Expected number of rows that the consumer takes; Infinity for all. */
  readonly goal: number;
  /** The enclosing rows, if the plan runs once for each of them. */
  readonly frame: CorrelationFrame | undefined;
}

/** Returns requirements for all rows in any order, with the columns `needed`. */
export function requireColumns(
  needed: ReadonlySet<number>,
  frame: CorrelationFrame | undefined,
): Requirements {
  const any = { ordered: false, order: undefined, isTop: false, limit: undefined, goal: Infinity };
  return { needed, ...any, frame };
}

/** Returns requirements for all rows in any order, with all `columns`. */
export function requireAll(
  columns: readonly BoundColumn[],
  frame: CorrelationFrame | undefined,
): Requirements {
  return requireColumns(new Set(columns.map(({ id }) => id)), frame);
}

export interface Lowered {
  readonly plan: RelationPlan;
  /** Column index of the plan's output by column id. Several ids may share a column index. */
  readonly columnIndexes: ReadonlyMap<number, number>;
  readonly ordering: Ordering;
  /** Cost of one run of the plan, in the unit of cost/defaults.ts. */
  readonly cost: number;
}

/** Returns the estimate of a plan and its source, which is the plan's own source or else that of its input. */
export function rowsOf(plan: RelationPlan): RowEstimate {
  const rows = plan.estimatedRows;
  for (let at = plan; ; at = plansBelow(at)[0] as RelationPlan) {
    if (at.estimatedFrom !== undefined) return { rows, origin: at.estimatedFrom };
    if (plansBelow(at).length > 0) continue;
    // The number of literal rows is exact.
    return { rows, origin: at.kind === 'rows' ? 'proven' : 'assumed' };
  }
}
