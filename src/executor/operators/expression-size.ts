/** Determines the work that expressions cause for each row. The more terms they have, the fewer rows are evaluated between two yields. */

import type { PlanExpression } from '#planner';
import { batchRowsMax } from '../batch/vector.ts';

/** Maximum number of terms that are evaluated for a whole batch without a yield. */
export const termsOfRow = 256;
/** Bytes of memory of a term: its kernel, and its values of a small batch. */
export const termBytes = 400;

/** Returns the number of terms of the expressions; evaluation takes time for each term. */
export function sizeOf(expressions: readonly PlanExpression[]): number {
  let size = 0;
  for (let e = 0; e < expressions.length; e++) size += termsOf(expressions[e] as PlanExpression);
  return size;
}

/** Returns the number of rows to evaluate without a yield. */
export function rowsInOneGo(expressions: readonly PlanExpression[]): number {
  return rowsOfTerms(sizeOf(expressions));
}

/** Returns the number of rows to process without a yield if each row has this many terms or columns. */
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
    case 'call':
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
