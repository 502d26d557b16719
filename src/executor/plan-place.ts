/** Where in the plan of a statement an operator stands: looked for when it has failed. */

import type { ExecutionContext } from '#failure';
import { plansBelow, type QueryPlan, type RelationPlan } from '#planner';

type Place = Pick<ExecutionContext, 'binding' | 'crossing'>;

/** The binding and the innermost crossing, as plans name them, that the operator with this number belongs to. */
export function placeInPlan({ bindings, root }: QueryPlan, id: number): Place {
  const open: { readonly plan: RelationPlan; readonly place: Place }[] = [
    { plan: root, place: {} },
  ];
  for (const binding of bindings) {
    const place = { binding: binding.name };
    const plans = binding.kind === 'derived' ? [binding.plan] : [binding.anchor, binding.step];
    for (const plan of plans) open.push({ plan, place });
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { plan, place } = next;
    if (plan.id === id) return place;
    const crossings = plan.kind === 'attach' ? plan.crossings : [];
    for (const below of plansBelow(plan)) {
      const crossing = crossings.find((it) => it.plan === below)?.column.name;
      open.push({ plan: below, place: crossing === undefined ? place : { ...place, crossing } });
    }
  }
  return {};
}
