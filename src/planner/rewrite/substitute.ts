/** Rewrites expressions over a relation's output as expressions over its input. */

import { unreachable } from '#base';
import type { BoundExpression } from '../bind/bound.ts';
import { operandsOf } from '../bind/operands.ts';

export type Substitution = ReadonlyMap<number, BoundExpression>;

/** Replaces uses of columns. The expression must not contain a crossing. */
export function substitute(expression: BoundExpression, by: Substitution): BoundExpression {
  const within = (part: BoundExpression) => substitute(part, by);
  switch (expression.kind) {
    case 'literal':
    case 'crossing':
      return expression;
    case 'column':
      return by.get(expression.id) ?? expression;
    case 'unary':
    case 'cast':
      return { ...expression, operand: within(expression.operand) };
    case 'compare':
    case 'arithmetic':
      return { ...expression, left: within(expression.left), right: within(expression.right) };
    case 'logical':
    case 'coalesce':
    case 'call':
      return { ...expression, operands: expression.operands.map(within) };
    case 'branch':
      return {
        ...expression,
        arms: expression.arms.map(({ when, then }) => ({ when: within(when), then: within(then) })),
        otherwise: within(expression.otherwise),
      };
    case 'text_match':
      return { ...expression, value: within(expression.value) };
    default:
      return unreachable(expression);
  }
}

/** Counts the parts of an expression up to `max`, because repeated substitution could double an expression each time. */
export function sizeOf(expression: BoundExpression, max = Infinity): number {
  let size = 0;
  const open: BoundExpression[] = [expression];
  for (let part = open.pop(); part !== undefined && size < max; part = open.pop()) {
    size++;
    open.push(...operandsOf(part));
  }
  return size;
}
