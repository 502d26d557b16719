/** What it costs to run plans once for each of several rows: what one run has fetched from a remote place, the next one finds at hand. */

import type { Fetches } from '../cost/cold-reads.ts';
import { costs } from '../cost/defaults.ts';
import { plansBelow } from '../plan/inputs.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { Planning } from './planning.ts';

/** A plan, and what one run of it costs. */
interface Repeated {
  readonly plan: RelationPlan;
  readonly cost: number;
}

/** All of `plans` run for each of `runs` rows. `id`: of the plan that runs them. */
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
    // A plan that is cut short has a part of these costs only.
    const each = Math.min(cost, fetches.cost);
    before += runs * each;
    fetched += fetchedCost(runs, each, fetches.costMax);
    costMax += fetches.costMax;
  }
  planning.fetches.set(id, { cost: fetched, costMax });
  return all - before + fetched;
}

/** Of runs that fetch for so much each. */
export function fetchedCost(runs: number, each: number, costMax: number): number {
  return Math.min(runs * each, Math.max(each, costMax));
}

type Cost = Omit<Fetches, 'waits'>;

/** Of one run of a plan. What a spool holds is fetched when it is filled. */
function fetchesBelow(planning: Planning, plan: RelationPlan): Cost {
  const known = planning.fetches.get(plan.id);
  if (plan.kind === 'scan' || plan.kind === 'spool') return known ?? none;
  let { cost, costMax } = known ?? none;
  for (const below of plansBelow(plan)) {
    // What it runs again and again is in its own numbers already.
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
