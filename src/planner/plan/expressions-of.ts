/** The expressions of a plan node. */

import { unreachable } from '#base';
import type { PlanExpression } from './expression.ts';
import type { KeyInterval, RelationPlan } from './relation.ts';

/** Returns the node's own expressions, without those of the nodes below. */
export function expressionsOf(plan: RelationPlan): readonly PlanExpression[] {
  switch (plan.kind) {
    case 'scan':
      return plan.access.kind === 'table' ? [] : ofInterval(plan.access.interval);
    case 'filter':
      return [plan.predicate];
    case 'project':
      return plan.expressions;
    case 'hash_join':
      return [...plan.leftKeys, ...plan.rightKeys, ...(plan.residual ? [plan.residual] : [])];
    case 'lookup_join':
      return plan.residual ? [plan.residual] : [];
    case 'loop_join':
      return [plan.on];
    case 'spool':
      return [...plan.keys, ...plan.probe];
    case 'aggregate':
      return [...plan.groups, ...plan.folds.flatMap(({ argument }) => argument ?? [])];
    case 'sort':
      return plan.terms.map(({ expression }) => expression);
    case 'rows':
    case 'attach':
    case 'merge_join':
    case 'slice':
    case 'distinct':
    case 'concatenate':
    case 'intersect':
    case 'except':
    case 'materialized':
    case 'frontier':
      return [];
    default:
      return unreachable(plan);
  }
}

function ofInterval({ prefix, among, lower, upper }: KeyInterval): readonly PlanExpression[] {
  const ends = [lower, upper].flatMap((end) => end?.value ?? []);
  return [...prefix.map(({ value }) => value), ...(among ?? []), ...ends];
}
