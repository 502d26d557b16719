/** Output rows of plans: their actual nullability, and the column order that the consumer requires. */

import { unreachable } from '#base';
import { functions, type OutputColumn } from '#value';
import type { BoundColumn } from '../bind/bound.ts';
import { outputOf } from '../bind/columns.ts';
import { costs } from '../cost/defaults.ts';
import type { PlanExpression } from '../plan/expression.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { Planning } from './planning.ts';
import type { Lowered } from './required-columns.ts';

/** Returns whether the value can be NULL, given the columns that it reads. */
export function canBeNull(
  expression: PlanExpression,
  input: readonly OutputColumn[],
  planning: Planning,
): boolean {
  const any = (parts: readonly PlanExpression[]) =>
    parts.some((part) => canBeNull(part, input, planning));
  switch (expression.kind) {
    case 'column':
      return input[expression.columnIndex]?.nullable !== false;
    case 'parameter':
      return planning.parameters.values[expression.index] === null;
    case 'register':
      return true;
    case 'unary': {
      const isTest = expression.op === 'is_null' || expression.op === 'is_not_null';
      return !isTest && any([expression.operand]);
    }
    case 'cast':
      return any([expression.operand]);
    case 'among':
      return (
        any([expression.operand]) ||
        expression.members.some((index) => planning.parameters.values[index] === null)
      );
    case 'compare':
    case 'arithmetic':
      return any([expression.left, expression.right]);
    case 'logical':
      return any(expression.operands);
    case 'branch':
      return any([...expression.arms.map((arm) => arm.then), expression.otherwise]);
    case 'coalesce':
      return expression.operands.every((part) => canBeNull(part, input, planning));
    case 'call':
      return functions[expression.fn].nulls !== 'refuse' && any(expression.operands);
    case 'text_match':
      return any([expression.value]);
    default:
      return unreachable(expression);
  }
}

/** Returns a plan whose output row is exactly `columns`, in order and by name. */
export function exactly(
  planning: Planning,
  lowered: Lowered,
  columns: readonly BoundColumn[],
): RelationPlan {
  const { plan, columnIndexes } = lowered;
  const taken = columns.map(({ id }) => columnIndexes.get(id) as number);
  const isExact =
    taken.length === plan.output.length && taken.every((columnIndex, i) => columnIndex === i);
  const output = outputOf(columns).map((column, i) => ({
    ...column,
    nullable: column.nullable || plan.output[taken[i] as number]?.nullable !== false,
  }));
  if (isExact) return hasNames(plan, columns) ? plan : { ...plan, output };
  const expressions = taken.map((columnIndex, i): PlanExpression => {
    const { type } = columns[i] as BoundColumn;
    return { kind: 'column', columnIndex, type };
  });
  const { estimatedRows } = plan;
  return {
    kind: 'project',
    id: planning.nextId(),
    input: plan,
    expressions,
    output,
    estimatedRows,
  };
}

function hasNames({ output }: RelationPlan, columns: readonly BoundColumn[]): boolean {
  return output.every((column, i) => column.name === columns[i]?.name);
}

/** Works like `exactly`, but also returns the column indexes and the ordering for further planning. */
export function trimmed(
  planning: Planning,
  lowered: Lowered,
  columns: readonly BoundColumn[],
): Lowered {
  const plan = exactly(planning, lowered, columns);
  const columnIndexes = new Map(columns.map(({ id }, i) => [id, i]));
  const cost = lowered.cost + (plan === lowered.plan ? 0 : plan.estimatedRows * costs.row);
  return { plan, columnIndexes, ordering: lowered.ordering, cost };
}
