/** Whether a relation can give other rows when it is run again within one statement: it reads a register or a frontier. */

import type { PlanExpression, RelationPlan } from '#planner';

const known = new WeakMap<RelationPlan, boolean>();

/** Conservative: a register counts even where the plan sets it itself. */
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

/** Members of plan nodes that lead to catalog records and types, which hold no expressions. */
const leafMembers = new Set(['table', 'columns', 'index', 'output', 'type', 'column', 'parts']);
