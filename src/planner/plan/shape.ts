/** The shape of a plan: operators and access paths, without literals. */

import { rootsOf, walkPlans } from './inputs.ts';
import type { QueryPlan } from './program.ts';
import type { RelationPlan } from './relation.ts';

/** Returns a fingerprint of 16 hex digits. */
export function shapeOf(query: QueryPlan): string {
  const hasher = new Bun.CryptoHasher('sha256');
  walkPlans(rootsOf(query), (plan) => hasher.update(`${textOf(plan)};`));
  return hasher.digest('hex').slice(0, 16);
}

function textOf(plan: RelationPlan): string {
  switch (plan.kind) {
    case 'scan': {
      const { table, access, reverse, isCovered } = plan;
      const index = access.kind === 'index' ? access.index.physicalId : '';
      return `scan ${table.physicalId} ${access.kind} ${index} ${reverse} ${isCovered === true}`;
    }
    case 'hash_join':
      return `hash_join ${plan.join} ${plan.build}`;
    case 'merge_join':
      return `merge_join ${plan.join} ${plan.held} ${plan.isUnique}`;
    case 'lookup_join':
    case 'loop_join':
      return `${plan.kind} ${plan.join}`;
    case 'attach':
      return `attach ${plan.crossings.length}`;
    case 'concatenate':
      return `concatenate ${plan.inputs.length}`;
    case 'sort':
      return `sort ${plan.limit !== undefined} ${plan.presorted ?? 0}`;
    default:
      return plan.kind;
  }
}
