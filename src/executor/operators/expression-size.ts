/** How much there is to do for each row of an expression: one of many terms takes few rows at a time. */

import type { PlanExpression } from '#planner';
import { batchRowsMax } from '../batch/vector.ts';

/** Terms that are evaluated for a whole batch in one go. */
export const termsOfRow = 256;
/** Memory of a term: what evaluates it, and its values of a portion. */
export const termBytes = 400;

/** Terms of expressions: evaluating them takes time for each one. */
export function sizeOf(expressions: readonly PlanExpression[]): number {
  let size = 0;
  for (let e = 0; e < expressions.length; e++) size += termsOf(expressions[e] as PlanExpression);
  return size;
}

/** How many rows are evaluated in one go. */
export function rowsInOneGo(expressions: readonly PlanExpression[]): number {
  return rowsOfTerms(sizeOf(expressions));
}

/** How many rows are handled in one go that take so many terms, or columns, each. */
export function rowsOfTerms(terms: number): number {
  if (terms <= termsOfRow) return batchRowsMax;
  return Math.max(1, Math.floor((termsOfRow * batchRowsMax) / terms));
}

function termsOf(expression: PlanExpression): number {
  switch (expression.kind) {
    case 'compare':
    case 'arithmetic':
      return 1 + termsOf(expression.left) + termsOf(expression.right);
    case 'logical':
    case 'coalesce':
      return 1 + sizeOf(expression.operands);
    case 'unary':
    case 'cast':
    case 'among':
      return 1 + termsOf(expression.operand);
    case 'text_match':
      return 1 + termsOf(expression.value);
    case 'branch':
      return expression.arms.reduce(
        (size, { when, then }) => size + 1 + termsOf(when) + termsOf(then),
        1 + termsOf(expression.otherwise),
      );
    default:
      return 1;
  }
}
