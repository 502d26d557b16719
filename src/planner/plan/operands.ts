/** What an expression of a plan is made of. */

import { unreachable } from '#base';
import type { PlanExpression } from './expression.ts';

/** Its direct parts. */
export function operandsOf(expression: PlanExpression): readonly PlanExpression[] {
  switch (expression.kind) {
    case 'parameter':
    case 'column':
    case 'register':
      return [];
    case 'unary':
    case 'cast':
    case 'among':
      return [expression.operand];
    case 'compare':
    case 'arithmetic':
      return [expression.left, expression.right];
    case 'logical':
    case 'coalesce':
      return expression.operands;
    case 'branch':
      return [...expression.arms.flatMap(({ when, then }) => [when, then]), expression.otherwise];
    case 'text_match':
      return [expression.value];
    default:
      return unreachable(expression);
  }
}
