/** What the consumer of a relation wants of it, for which rows; and what it gets. */

import type { BoundColumn } from '../bind/bound.ts';
import type { Rows } from '../cost/estimate.ts';
import type { Ordering, OrderKey } from '../order/ordering.ts';
import { plansBelow } from '../plan/inputs.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { RowCount } from '../plan/row-count.ts';
import type { Frame } from './frame.ts';

export interface Want {
  /** Ids of the columns that are read. */
  readonly needed: ReadonlySet<number>;
  /** Whether the consumer sees the order of the rows. */
  readonly ordered: boolean;
  /** An order that would save the consumer a sort. */
  readonly order: readonly OrderKey[] | undefined;
  /** The consumer keeps the first rows of `order`, and stops early when it gets at least the first keys of that order. */
  readonly isTop: boolean;
  /** The consumer takes only so many rows, the first of the relation's order. */
  readonly limit: RowCount | undefined;
  /** How many rows the consumer probably takes; Infinity: all. */
  readonly goal: number;
  /** The enclosing rows, for a plan that runs for each of them. */
  readonly frame: Frame | undefined;
}

/** All rows, in any order. */
export function wantBag(needed: ReadonlySet<number>, frame: Frame | undefined): Want {
  const any = { ordered: false, order: undefined, isTop: false, limit: undefined, goal: Infinity };
  return { needed, ...any, frame };
}

export function wantOf(columns: readonly BoundColumn[], frame: Frame | undefined): Want {
  return wantBag(new Set(columns.map(({ id }) => id)), frame);
}

export interface Lowered {
  readonly plan: RelationPlan;
  /** Column index of the plan's output by column id. Several ids may share a column index. */
  readonly columnIndexes: ReadonlyMap<number, number>;
  readonly ordering: Ordering;
  /** Of one run of the plan, see cost/defaults.ts. */
  readonly cost: number;
}

/** The estimate of a plan, and what it rests on: its own, else that of its input. */
export function rowsOf(plan: RelationPlan): Rows {
  const rows = plan.estimatedRows;
  for (let at = plan; ; at = plansBelow(at)[0] as RelationPlan) {
    if (at.estimatedFrom !== undefined) return { rows, origin: at.estimatedFrom };
    if (plansBelow(at).length > 0) continue;
    // Rows of the document are as many as it has.
    return { rows, origin: at.kind === 'rows' ? 'proven' : 'assumed' };
  }
}
