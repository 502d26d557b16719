/** Constants that are a little other than they were. */

import {
  type BigIntLiteral,
  isPropertyAssignment,
  type Node,
  type NumericLiteral,
} from 'typescript/unstable/ast';
import type { Edit } from '../mutation.ts';

/** One more; and, of a limit or a time, twice as much. */
export function ofNumber(node: NumericLiteral): Edit[] {
  if (isPropertyAssignment(node.parent) && node.parent.name === node) return [];
  const value = Number(node.text);
  return [value + 1, ...(value >= 10 ? [value * 2] : [])].map((other) =>
    constant(node, `${other}`),
  );
}

export function ofBigInt(node: BigIntLiteral): Edit[] {
  return [constant(node, `${BigInt(node.text.replace(/n$/, '')) + 1n}n`)];
}

export function ofBoolean(node: Node): Edit[] {
  return [constant(node, node.getText() === 'true' ? 'false' : 'true')];
}

function constant(node: Node, text: string): Edit {
  return { kind: 'constant', start: node.getStart(), end: node.end, text };
}
