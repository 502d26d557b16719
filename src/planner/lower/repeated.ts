/** The cost of running plans once per outer row. Pieces that one run has fetched from a remote storage location are local for the next run. */

import type { Fetches } from '../cost/cold-reads.ts';
import { costs } from '../cost/defaults.ts';
import { plansBelow } from '../plan/inputs.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { Planning } from './planning.ts';

/** A plan, and the cost of one run. */
interface Repeated {
  readonly plan: RelationPlan;
  readonly cost: number;
}

/** Returns the cost of running all of `plans` for each of `runs` rows. Records the remote reads under `id`, the id of the plan that runs them. */
export function repeatedCost(
  planning: Planning,
  id: number,
  runs: number,
  plans: readonly Repeated[],
): number {
  const runCost = plans.reduce((sum, { cost }) => sum + cost, 0);
  const all = runs * (costs.run + runCost);
  if (planning.fetches.size === 0) return all;
  let before = 0;
  let fetched = 0;
  let costMax = 0;
  for (const { plan, cost } of plans) {
    const fetches = fetchesBelow(planning, plan);
    // A plan that stops early has only a part of this cost.
    const each = Math.min(cost, fetches.cost);
    before += runs * each;
    fetched += fetchedCost(runs, each, fetches.costMax);
    costMax += fetches.costMax;
  }
  planning.fetches.set(id, { cost: fetched, costMax });
  return all - before + fetched;
}

/** Returns the fetch cost of `runs` runs that cost `each`. The cost is bounded by the cost of fetching each piece once. */
export function fetchedCost(runs: number, each: number, costMax: number): number {
  return Math.min(runs * each, Math.max(each, costMax));
}

type Cost = Omit<Fetches, 'waits'>;

/** Returns the fetch cost of one run of a plan. The contents of a spool are not included, because they are fetched when the spool is filled. */
function fetchesBelow(planning: Planning, plan: RelationPlan): Cost {
  const known = planning.fetches.get(plan.id);
  if (plan.kind === 'scan' || plan.kind === 'spool') return known ?? none;
  let { cost, costMax } = known ?? none;
  for (const below of plansBelow(plan)) {
    // The numbers of the plan already include the inputs that it runs repeatedly.
    if (known !== undefined && isRepeated(plan, below)) continue;
    const fetches = fetchesBelow(planning, below);
    cost += fetches.cost;
    costMax += fetches.costMax;
  }
  return { cost, costMax };
}

const none: Cost = { cost: 0, costMax: 0 };

function isRepeated(plan: RelationPlan, below: RelationPlan): boolean {
  if (plan.kind === 'lookup_join') return below === plan.right;
  return plan.kind === 'attach' && below !== plan.input;
}
