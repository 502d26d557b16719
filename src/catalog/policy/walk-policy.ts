/** Walks and rewrites the conditions of policies. */

import { unreachable } from '#base';
import {
  type PolicyConditionOf,
  type PolicyExpressionOf,
  type PolicyNodeOf,
  rowScope,
} from './policy.ts';

/** Rewrites the references of a condition. `scopes` contains the table of each label. */
interface References<From, To> {
  table(table: From): To;
  column(table: From, column: From): To;
}

/** Returns the condition with other references. `own` is the table of the scope `row`. */
export function withReferences<From, To>(
  condition: PolicyConditionOf<From>,
  own: From,
  references: References<From, To>,
): PolicyConditionOf<To> {
  const { where, nodes = {} } = condition;
  const scopes = new Map<string, From>([[rowScope, own]]);
  for (const node of Object.values(nodes)) {
    if (node.kind === 'scan') scopes.set(node.scope, node.table);
  }
  const expression = (of: PolicyExpressionOf<From>): PolicyExpressionOf<To> => {
    switch (of.kind) {
      case 'lit':
      case 'claim':
      case 'exists':
        return of;
      case 'col':
        return { ...of, column: references.column(scopes.get(of.scope) as From, of.column) };
      case 'unary':
      case 'cast':
        return { ...of, expr: expression(of.expr) };
      case 'binary':
        return { ...of, left: expression(of.left), right: expression(of.right) };
      case 'coalesce':
        return { ...of, args: of.args.map(expression) };
      case 'text_match':
        return { ...of, value: expression(of.value) };
      default:
        return unreachable(of);
    }
  };
  const node = (of: PolicyNodeOf<From>): PolicyNodeOf<To> => {
    switch (of.kind) {
      case 'scan':
        return { ...of, table: references.table(of.table) };
      case 'filter':
        return { ...of, predicate: expression(of.predicate) };
      case 'join':
        return { ...of, on: expression(of.on) };
      default:
        return unreachable(of);
    }
  };
  const rewritten = Object.entries(nodes).map(([id, of]) => [id, node(of)] as const);
  return {
    where: expression(where),
    ...(rewritten.length > 0 && { nodes: Object.fromEntries(rewritten) }),
  };
}
