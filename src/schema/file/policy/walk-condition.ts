/** Walks a condition with the JSON pointer of each part. */

import { unreachable } from '#base';
import {
  type PolicyConditionOf,
  type PolicyExpressionOf,
  type PolicyNodeOf,
  rowScope,
} from '#catalog';
import { pointerOf } from '#lir';

type Operand = readonly [step: string, operand: PolicyExpressionOf<string>];

/** Returns the operands of an expression with the steps that lead to them. */
export function operandsOf(of: PolicyExpressionOf<string>): readonly Operand[] {
  switch (of.kind) {
    case 'lit':
    case 'col':
    case 'claim':
    case 'exists':
      return [];
    case 'unary':
    case 'cast':
      return [['expr', of.expr]];
    case 'binary':
      return [
        ['left', of.left],
        ['right', of.right],
      ];
    case 'coalesce':
      return of.args.map((arg, i) => [`args/${i}`, arg]);
    case 'text_match':
      return [['value', of.value]];
    default:
      return unreachable(of);
  }
}

export function nodePointer(id: string): string {
  return `/nodes${pointerOf([id])}`;
}

/** A name of a table, or of one of its columns, within a condition. */
interface PolicyReference {
  readonly pointer: string;
  readonly table: string;
  readonly column?: string;
}

/** Returns the references of a valid condition. `own` is the table of its rule. */
export function referencesIn(
  { where, nodes = {} }: PolicyConditionOf<string>,
  own: string,
): readonly PolicyReference[] {
  const scopes = new Map([[rowScope, own]]);
  for (const node of Object.values(nodes)) {
    if (node.kind === 'scan') scopes.set(node.scope, node.table);
  }
  const within = (of: PolicyExpressionOf<string>, pointer: string): readonly PolicyReference[] => {
    const below = operandsOf(of).flatMap(([step, operand]) =>
      within(operand, `${pointer}/${step}`),
    );
    if (of.kind !== 'col') return below;
    const table = scopes.get(of.scope) as string;
    return [{ pointer: `${pointer}/column`, table, column: of.column }];
  };
  const ofNodes = Object.entries(nodes).flatMap(([id, node]) =>
    ofNode(node, nodePointer(id), within),
  );
  return [...within(where, '/where'), ...ofNodes];
}

function ofNode(
  node: PolicyNodeOf<string>,
  pointer: string,
  within: (of: PolicyExpressionOf<string>, pointer: string) => readonly PolicyReference[],
): readonly PolicyReference[] {
  switch (node.kind) {
    case 'scan':
      return [{ pointer: `${pointer}/table`, table: node.table }];
    case 'filter':
      return within(node.predicate, `${pointer}/predicate`);
    case 'join':
      return within(node.on, `${pointer}/on`);
    default:
      return unreachable(node);
  }
}
