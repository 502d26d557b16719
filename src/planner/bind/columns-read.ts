/** Which columns an expression reads, those that its crossings read of the row included. */

import { unreachable } from '#base';
import type { BoundExpression } from './bound.ts';

export function columnsReadBy(expression: BoundExpression): ReadonlySet<number> {
  const read = new Set<number>();
  addColumnsReadBy(expression, read);
  return read;
}

export function addColumnsReadBy(expression: BoundExpression, read: Set<number>): void {
  const open: BoundExpression[] = [expression];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.kind === 'column') read.add(part.id);
    else if (part.kind === 'crossing') for (const id of part.outer) read.add(id);
    else for (const operand of operandsOf(part)) open.push(operand);
  }
}

/** The direct parts of an expression; a crossing has none, its relation is another world. */
export function operandsOf(expression: BoundExpression): readonly BoundExpression[] {
  switch (expression.kind) {
    case 'literal':
    case 'column':
    case 'crossing':
      return [];
    case 'unary':
    case 'cast':
      return [expression.operand];
    case 'compare':
    case 'arithmetic':
      return [expression.left, expression.right];
    case 'logical':
    case 'coalesce':
      return expression.operands;
    case 'branch':
      return [...expression.arms.flatMap((arm) => [arm.when, arm.then]), expression.otherwise];
    case 'text_match':
      return [expression.value];
    default:
      return unreachable(expression);
  }
}
