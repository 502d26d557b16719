/** Decides whether an inner plan returns the same rows if it runs once for many outer rows. Each row of its scan must pass independently of the others. */

import { functions } from '#value';
import { operandsOf } from '../bind/operands.ts';
import type { PlanExpression } from '../plan/expression.ts';
import { expressionsOf } from '../plan/expressions-of.ts';
import { walkPlans } from '../plan/inputs.ts';
import type { RegisterBinding, RelationPlan } from '../plan/relation.ts';

/** Maximum number of nodes. A larger plan runs once per outer row. */
const nodesMax = 64;

/**
 * Returns whether the plan can run for many outer rows in one run. Only the scan at the end of the chain may read `registers`. No operator may fail,
 * because such a run also evaluates rows that a run for one outer row would not reach. Rows must pass independently, except for one slice.
 */
export function canRunTogether(plan: RelationPlan, registers: readonly RegisterBinding[]): boolean {
  const own = new Set(registers.map(({ register }) => register));
  const scan = chainEnd(plan);
  if (scan === undefined) return false;
  let nodes = 0;
  let isFree = true;
  walkPlans([plan], (node) => {
    nodes++;
    isFree &&= nodes <= nodesMax && (node === scan || !expressionsOf(node).some(reads));
    isFree &&= !canFail(node);
  });
  return isFree;

  function reads(expression: PlanExpression): boolean {
    if (expression.kind === 'register') return own.has(expression.register);
    return operandsOf(expression).some(reads);
  }
}

/** Returns the scan at the end of a chain of filters, projections, crossings and at most one slice; `undefined` for any other plan. */
function chainEnd(plan: RelationPlan): RelationPlan | undefined {
  let slices = 0;
  for (let node = plan; ; node = node.input) {
    if (node.kind === 'scan') return node;
    if (node.kind === 'slice') slices++;
    else if (node.kind !== 'project' && node.kind !== 'filter' && node.kind !== 'attach') {
      return undefined;
    }
    if (slices > 1) return undefined;
  }
}

function canFail(plan: RelationPlan): boolean {
  if (plan.kind === 'aggregate' && plan.folds.some(({ fn }) => fn === 'sum' || fn === 'avg')) {
    return true;
  }
  if (plan.kind === 'attach' && plan.crossings.some(({ isChecked }) => isChecked)) return true;
  return expressionsOf(plan).some(raises);
}

function raises(expression: PlanExpression): boolean {
  const { kind } = expression;
  if (kind === 'arithmetic') return true;
  if (kind === 'unary' && expression.op === 'negate') return true;
  if (kind === 'cast' && expression.to === 'int64') return true;
  if (
    kind === 'call' &&
    functions[expression.fn].overloads[expression.overload]?.canFail !== false
  ) {
    return true;
  }
  return operandsOf(expression).some(raises);
}
