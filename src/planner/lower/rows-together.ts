/** Whether an inner plan gives the same rows when it runs once for many outer rows: each row of the scan at its end then stands for itself. */

import { operandsOf } from '../bind/operands.ts';
import type { PlanExpression } from '../plan/expression.ts';
import { expressionsOf } from '../plan/expressions-of.ts';
import { walkPlans } from '../plan/inputs.ts';
import type { RegisterBinding, RelationPlan } from '../plan/relation.ts';

/** Larger plans are run for each row. */
const nodesMax = 64;

/**
 * Nothing but the scan at the end of the chain may read `registers`, nothing may fail (rows are evaluated that the plan for one row would have
 * stopped before), and rows must pass one by one, but for one slice.
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

/** The scan, when there is nothing but filters, projections, crossings and one slice above it. */
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
  return expressionsOf(plan).some(raises);
}

function raises(expression: PlanExpression): boolean {
  const { kind } = expression;
  if (kind === 'arithmetic') return true;
  if (kind === 'unary' && expression.op === 'negate') return true;
  if (kind === 'cast' && expression.to === 'int64') return true;
  return operandsOf(expression).some(raises);
}
