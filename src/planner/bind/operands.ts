/** The operands of expressions, both bound and planned. */

import { unreachable } from '#base';

/** The members of an expression that contain its operands. */
type Composed<Part> =
  | { readonly kind: 'literal' | 'parameter' | 'column' | 'register' | 'crossing' }
  | { readonly kind: 'unary' | 'cast' | 'among'; readonly operand: Part }
  | { readonly kind: 'compare' | 'arithmetic'; readonly left: Part; readonly right: Part }
  | { readonly kind: 'logical' | 'coalesce' | 'call'; readonly operands: readonly Part[] }
  | {
      readonly kind: 'branch';
      readonly arms: readonly { readonly when: Part; readonly then: Part }[];
      readonly otherwise: Part;
    }
  | { readonly kind: 'text_match'; readonly value: Part };

/** Returns the direct operands of an expression from left to right. A crossing has none, since its relation is a separate tree. */
export function operandsOf<Part>(expression: Composed<Part>): readonly Part[] {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'register':
    case 'crossing':
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
    case 'call':
      return expression.operands;
    case 'branch':
      return [...expression.arms.flatMap(({ when, then }) => [when, then]), expression.otherwise];
    case 'text_match':
      return [expression.value];
    default:
      return unreachable(expression);
  }
}
