/** The parts of a plan whose row counts are compared with the estimates. */

import type { QueryPlan } from './program.ts';
import type { RelationPlan } from './relation.ts';

export interface PlanPart {
  /** Id of the plan node. */
  readonly id: number;
  readonly part: string;
  readonly estimated: number;
  /** An operator above might not have read all of its rows. */
  readonly isCut: boolean;
}

interface Open {
  readonly plan: RelationPlan;
  readonly isCut: boolean;
}

export function partsOf({ bindings, root }: QueryPlan): readonly PlanPart[] {
  const parts: PlanPart[] = [];
  const open: Open[] = [{ plan: root, isCut: false }];
  for (const binding of bindings) {
    if (binding.kind === 'derived') open.push({ plan: binding.plan, isCut: false });
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { plan, isCut } = next;
    const { id, part, estimatedRows: estimated } = plan;
    if (part !== undefined) parts.push({ id, part, estimated, isCut });
    open.push(...onceBelow(plan, isCut));
  }
  return parts;
}

/** Returns the plans below that run once. Plans that run once per outer row are left out. */
function onceBelow(plan: RelationPlan, isCut: boolean): readonly Open[] {
  const all = (input: RelationPlan) => ({ plan: input, isCut: false });
  const some = (input: RelationPlan) => ({ plan: input, isCut: true });
  const same = (input: RelationPlan) => ({ plan: input, isCut });
  switch (plan.kind) {
    case 'filter':
    case 'project':
    case 'distinct':
    case 'attach':
      return [same(plan.input)];
    case 'slice':
      return [some(plan.input)];
    case 'sort':
      // A sort with a limit passes a bound down, so rows that it cannot keep are skipped below.
      return [plan.limit === undefined ? all(plan.input) : some(plan.input)];
    case 'aggregate':
      return [all(plan.input)];
    case 'hash_join': {
      // If the build side has no rows, the other side is not read.
      const [held, other] =
        plan.build === 'left' ? [plan.left, plan.right] : [plan.right, plan.left];
      return [isCut ? some(held) : all(held), some(other)];
    }
    case 'merge_join':
      // A merge stops at the end of one side, and does not read the rest of the other.
      return [plan.join === 'left' ? same(plan.left) : some(plan.left), some(plan.right)];
    case 'lookup_join':
      return [same(plan.left)];
    case 'loop_join':
    case 'intersect':
    case 'except':
      return [some(plan.left), some(plan.right)];
    case 'concatenate':
      return plan.inputs.map(same);
    default:
      return [];
  }
}
