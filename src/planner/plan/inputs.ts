/** The edges of the plan tree. */

import { inputsOf } from '#lir';
import type { QueryPlan } from './program.ts';
import type { RelationPlan } from './relation.ts';

/** Returns the plans that `plan` runs, from left to right, with crossings after the input. */
export function plansBelow(plan: RelationPlan): readonly RelationPlan[] {
  if (plan.kind !== 'attach') return inputsOf<RelationPlan>(plan);
  return [plan.input, ...plan.crossings.map((crossing) => crossing.plan)];
}

/** Returns the roots of a query: the bodies of its bindings, then the main tree. */
export function rootsOf({ bindings, root }: QueryPlan): readonly RelationPlan[] {
  const bodies = bindings.flatMap((binding) =>
    binding.kind === 'derived' ? [binding.plan] : [binding.anchor, binding.step],
  );
  return [...bodies, root];
}

/** Visits every plan below the roots, each plan before the plans that it runs. */
export function walkPlans(
  roots: readonly RelationPlan[],
  visit: (plan: RelationPlan) => void,
): void {
  const open = [...roots].reverse();
  for (let plan = open.pop(); plan !== undefined; plan = open.pop()) {
    visit(plan);
    open.push(...[...plansBelow(plan)].reverse());
  }
}
