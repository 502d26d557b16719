/** The expressions that the operator of a plan compiles as it is made. */

import type { PlanExpression, RelationPlan } from '#planner';

export function expressionsOf(plan: RelationPlan): readonly PlanExpression[] {
  switch (plan.kind) {
    case 'filter':
      return [plan.predicate];
    case 'project':
      return plan.expressions;
    case 'loop_join':
      return [plan.on];
    case 'hash_join':
    case 'lookup_join':
      return plan.residual === undefined ? [] : [plan.residual];
    case 'aggregate':
      return [...plan.groups, ...plan.folds.flatMap(({ argument }) => argument ?? [])];
    case 'sort':
      return plan.terms.map(({ expression }) => expression);
    default:
      return [];
  }
}
