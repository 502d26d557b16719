/** The size of a condition. */

import { unreachable } from '#base';
import type { PolicyConditionOf, PolicyExpressionOf, PolicyNodeOf } from './policy.ts';

/** Returns the number of expressions and nodes of a condition. */
export function partsOfCondition<Ref>({ where, nodes = {} }: PolicyConditionOf<Ref>): number {
  return Object.values(nodes).reduce((sum, node) => sum + partsOfNode(node), partsOf(where));
}

function partsOfNode<Ref>(node: PolicyNodeOf<Ref>): number {
  switch (node.kind) {
    case 'scan':
      return 1;
    case 'filter':
      return 1 + partsOf(node.predicate);
    case 'join':
      return 1 + partsOf(node.on);
    default:
      return unreachable(node);
  }
}

function partsOf<Ref>(of: PolicyExpressionOf<Ref>): number {
  switch (of.kind) {
    case 'lit':
    case 'col':
    case 'claim':
    case 'exists':
      return 1;
    case 'unary':
    case 'cast':
      return 1 + partsOf(of.expr);
    case 'binary':
      return 1 + partsOf(of.left) + partsOf(of.right);
    case 'coalesce':
      return of.args.reduce((sum, arg) => sum + partsOf(arg), 1);
    case 'text_match':
      return 1 + partsOf(of.value);
    default:
      return unreachable(of);
  }
}
