/** Integers that stand for a column of the result, in ORDER BY and GROUP BY. */

import type { Node } from 'libpg-query';
import type { Compilation } from './compilation.ts';
import { constantOf, locationOf } from './nodes.ts';

/** Returns the index of the column; `undefined` if the expression is not a constant. */
export function ordinalOf(
  compilation: Compilation,
  node: Node,
  clause: string,
  count: number,
): number | undefined {
  const constant = numberOf(compilation, node);
  if (constant === undefined) return undefined;
  const location = locationOf(node);
  if (constant === 'other') {
    throw compilation.error('42601', `non-integer constant in ${clause}`, location);
  }
  if (constant < 1 || constant > count) {
    const message = `${clause} position ${constant} is not in select list`;
    throw compilation.error('42P10', message, location);
  }
  return constant - 1;
}

function numberOf(compilation: Compilation, node: Node): number | 'other' | undefined {
  const constant = constantOf(node);
  if (constant?.ival !== undefined) return constant.ival.ival ?? 0;
  if (constant !== undefined) return constant.isnull ? undefined : 'other';
  const number = 'ParamRef' in node ? (node.ParamRef.number ?? 0) : 0;
  const cut = number - compilation.parameterCount - 1;
  const literal = compilation.input.literals[cut];
  if (literal === undefined) return undefined;
  compilation.pinned.add(cut);
  return literal.kind === 'integer' ? Number(literal.text) : 'other';
}
