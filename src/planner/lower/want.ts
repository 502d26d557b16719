/** What the consumer of a relation wants of it; and what it gets. */

import type { Rows } from '../cost/estimate.ts';
import type { Ordering, OrderKey } from '../order/ordering.ts';
import { plansBelow } from '../plan/inputs.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { RowCount } from '../plan/row-count.ts';

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
}

/** All rows, in any order. */
export function wantBag(needed: ReadonlySet<number>): Want {
  return {
    needed,
    ordered: false,
    order: undefined,
    isTop: false,
    limit: undefined,
    goal: Infinity,
  };
}

export function wantOf(ids: Iterable<number>): Want {
  return wantBag(new Set(ids));
}

export interface Lowered {
  readonly plan: RelationPlan;
  /** Slot of the plan's output by column id. Several ids may share a slot. */
  readonly slots: ReadonlyMap<number, number>;
  readonly ordering: Ordering;
  /** Of one run of the plan, see cost/defaults.ts. */
  readonly cost: number;
}

/** The estimate of a plan, and what it rests on: its own, else that of its input. */
export function rowsOf(plan: RelationPlan): Rows {
  const rows = plan.estimatedRows;
  for (let at = plan; ; at = plansBelow(at)[0] as RelationPlan) {
    if (at.estimatedFrom !== undefined) return { rows, origin: at.estimatedFrom };
    if (plansBelow(at).length === 0) return { rows, origin: isHere(at) ? 'proven' : 'assumed' };
  }
}

/** Its rows are in the program. */
function isHere({ kind }: RelationPlan): boolean {
  return kind === 'rows';
}
