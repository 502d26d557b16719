/**
 * Rewrites a left join as an inner join if a predicate above drops every padded row. The predicate must not be TRUE when all columns of the right side are NULL.
 * Predicates can then be pushed into both sides, either side can be buffered, and the join can be reordered.
 */

import { functions } from '#value';
import type { BoundExpression, BoundJoin } from '../bind/bound.ts';
import { type IdRange, idRangeOf, isWithin } from '../facts/id-range.ts';

/** Returns the join without padding if the conjuncts allow it. `conjuncts` filter the rows of the join and cannot raise. */
export function withoutPadding(join: BoundJoin, conjuncts: readonly BoundExpression[]): BoundJoin {
  if (join.join !== 'left') return join;
  const right = idRangeOf(join.right);
  const isInner = conjuncts.some((conjunct) => rejects(conjunct, right));
  return isInner ? { ...join, join: 'inner' } : join;
}

/** Returns whether the predicate is not TRUE when all columns in `padded` are NULL. */
function rejects(predicate: BoundExpression, padded: IdRange): boolean {
  if (isNull(predicate, padded)) return true;
  if (predicate.kind === 'unary') {
    const { op, operand } = predicate;
    if (op === 'is_not_null') return isNull(operand, padded);
    return op === 'not' && operand.kind === 'unary' && isTestOfNull(operand, padded);
  }
  if (predicate.kind !== 'logical') return false;
  const { op, operands } = predicate;
  if (op === 'and') return operands.some((part) => rejects(part, padded));
  return operands.every((part) => rejects(part, padded));
}

function isTestOfNull(
  { op, operand }: Extract<BoundExpression, { kind: 'unary' }>,
  padded: IdRange,
): boolean {
  return op === 'is_null' && isNull(operand, padded);
}

/** Returns whether the expression is NULL when all columns in `padded` are NULL. */
function isNull(expression: BoundExpression, padded: IdRange): boolean {
  switch (expression.kind) {
    case 'column':
      return isWithin(expression.id, padded);
    case 'unary': {
      const { op, operand } = expression;
      return op !== 'is_null' && op !== 'is_not_null' && isNull(operand, padded);
    }
    case 'cast':
      return isNull(expression.operand, padded);
    case 'compare':
    case 'arithmetic':
      return isNull(expression.left, padded) || isNull(expression.right, padded);
    case 'call':
      return (
        functions[expression.fn].nulls === 'propagate' &&
        expression.operands.some((operand) => isNull(operand, padded))
      );
    case 'text_match':
      return isNull(expression.value, padded);
    default:
      return false;
  }
}
