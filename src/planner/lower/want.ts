/** What the consumer of a relation wants of it; and what it gets. */

import type { Ordering, OrderKey } from '../order/ordering.ts';
import type { RelationPlan } from '../plan/relation.ts';

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
  readonly limit: number | undefined;
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
