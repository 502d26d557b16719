/** Determines whether a relation can return different rows when it runs again within one statement: it does if it reads a register or a frontier. */

import type { PlanExpression, RelationPlan } from '#planner';

const known = new WeakMap<RelationPlan, boolean>();

/** Returns a conservative answer: a register counts even if the plan itself sets it. */
export function isVariant(plan: RelationPlan): boolean {
  let answer = known.get(plan);
  if (answer === undefined) {
    answer = computeVariance(plan);
    known.set(plan, answer);
  }
  return answer;
}

function computeVariance(root: RelationPlan): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const { kind } = value as { readonly kind?: RelationPlan['kind'] | PlanExpression['kind'] };
    if (kind === 'register' || kind === 'frontier') return true;
    for (const [member, part] of Object.entries(value)) {
      if (!leafMembers.has(member)) open.push(part);
    }
  }
  return false;
}

/** Members of plan nodes that contain catalog records and types, and thus no expressions. */
const leafMembers = new Set(['table', 'columns', 'index', 'output', 'type', 'column', 'parts']);
