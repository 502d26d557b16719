/** Finds the binding and the crossing of an operator in the plan of a statement. Is needed only after the operator has failed. */

import type { ExecutionContext } from '#failure';
import { plansBelow, type QueryPlan, type RelationPlan } from '#planner';

type Place = Pick<ExecutionContext, 'binding' | 'crossing'>;

/** Returns the binding and the innermost crossing, by their names in the plan, that contain the operator with this number. */
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
