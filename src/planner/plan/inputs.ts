/** The edges of the plan tree. */

import { inputsOf } from '#lir';
import type { QueryPlan } from './program.ts';
import type { RelationPlan } from './relation.ts';

/** The plans that `plan` runs, left to right, crossings after the input. */
export function plansBelow(plan: RelationPlan): readonly RelationPlan[] {
  if (plan.kind !== 'attach') return inputsOf<RelationPlan>(plan);
  return [plan.input, ...plan.crossings.map((crossing) => crossing.plan)];
}

/** The roots of a query: its bindings' bodies, then the main tree. */
export function rootsOf({ bindings, root }: QueryPlan): readonly RelationPlan[] {
  const bodies = bindings.flatMap((binding) =>
    binding.kind === 'derived' ? [binding.plan] : [binding.anchor, binding.step],
  );
  return [...bodies, root];
}

/** Visits every plan below the roots, a plan before what it runs. */
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
