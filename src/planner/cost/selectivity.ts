/** The share of rows that a predicate keeps, without statistics. */

import type { BoundExpression } from '../bind/bound.ts';
import { assumed } from './defaults.ts';

export function selectivityOf(predicate: BoundExpression): number {
  switch (predicate.kind) {
    case 'compare':
      if (predicate.op === 'eq') return assumed.equal;
      return predicate.op === 'ne' ? 1 - assumed.equal : assumed.range;
    case 'logical': {
      const parts = predicate.operands.map(selectivityOf);
      if (predicate.op === 'and') return parts.reduce((all, part) => all * part, 1);
      return Math.min(
        1,
        parts.reduce((sum, part) => sum + part, 0),
      );
    }
    case 'unary':
      if (predicate.op === 'is_null') return assumed.isNull;
      if (predicate.op === 'is_not_null') return 1 - assumed.isNull;
      return 1 - selectivityOf(predicate.operand);
    case 'literal':
      return predicate.value === true ? 1 : 0;
    default:
      return assumed.other;
  }
}

export function selectivityOfAll(predicates: readonly BoundExpression[]): number {
  return predicates.reduce((all, predicate) => all * selectivityOf(predicate), 1);
}
