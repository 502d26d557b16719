/** Recognizes equal expressions, as in GROUP BY and the list of a SELECT. */

import type { A_Const, ColumnRef, Node } from 'libpg-query';
import { findColumn } from '../scope/scope.ts';
import type { Compilation, Env } from './compilation.ts';
import { nameParts } from './nodes.ts';

/** Returns a text that is equal for equal expressions of the scope. Literals that were cut out count by their values. */
export function treeKey(env: Env, node: Node): string {
  const { compilation } = env;
  return JSON.stringify(node, (name, value: unknown) => {
    if (name === 'location' || name.endsWith('_start') || name.endsWith('_end')) return undefined;
    if (name === 'ColumnRef') return columnKey(env, value as ColumnRef);
    if (name === 'A_Const') return constantKey(value as A_Const);
    if (name === 'ParamRef') {
      const literal = compilation.input.literals[cutIndex(compilation, value)];
      return literal === undefined ? value : literal.text;
    }
    return value;
  }).replaceAll('"ParamRef":"', '"A_Const":"');
}

function columnKey({ scope }: Env, ref: ColumnRef): unknown {
  const [column = '', table, schema] = [...nameParts(ref.fields)].reverse();
  const plain = { ...scope, grouped: undefined };
  const found = findColumn(plain, { column, table, schema, location: undefined });
  return found.kind === 'column' ? found.column.expr : ref;
}

function constantKey({ ival, fval, sval, ...other }: A_Const): unknown {
  if (ival !== undefined) return `${ival.ival ?? 0}`;
  return fval?.fval ?? (sval === undefined ? other : (sval.sval ?? ''));
}

function cutIndex({ parameterCount }: Compilation, ref: unknown): number {
  return ((ref as { number?: number }).number ?? 0) - parameterCount - 1;
}

/** Makes the compiled statement depend on the values of the literals in an expression, because they were compared with others. */
export function pinLiterals(compilation: Compilation, node: Node): void {
  JSON.stringify(node, (name, value: unknown) => {
    const at = name === 'ParamRef' ? cutIndex(compilation, value) : -1;
    if (compilation.input.literals[at] !== undefined) compilation.pinned.add(at);
    return value;
  });
}
