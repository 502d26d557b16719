/** LIMIT, OFFSET and FETCH FIRST. */

import type { Node, SelectStmt } from 'libpg-query';
import { childScope } from '../scope/scope.ts';
import { plainTypeText, sqlTypes } from '../types/registry.ts';
import { categoryOf, coerce } from './coerce.ts';
import { type Compilation, isTyped } from './compilation.ts';
import { operand } from './expression.ts';
import { lateSlice, type ValueSource } from './late.ts';
import { locationOf } from './nodes.ts';
import { someOrder } from './query.ts';

interface Rows {
  readonly node: string;
  readonly isOrdered: boolean;
}

export function sliced(compilation: Compilation, stmt: SelectStmt, rows: Rows): Rows {
  const { limitCount, limitOffset, limitOption } = stmt;
  if (limitOption === 'LIMIT_OPTION_WITH_TIES') {
    throw compilation.unsupported('WITH TIES', locationOf(limitCount));
  }
  const limit = limitCount && countOf(compilation, limitCount, 'LIMIT');
  const offset = limitOffset && countOf(compilation, limitOffset, 'OFFSET');
  if (limit === undefined && offset === undefined) return rows;
  const isOrdered = rows.isOrdered || offset !== undefined;
  const input =
    offset === undefined || rows.isOrdered ? rows.node : someOrder(compilation, rows.node);
  const node = compilation.node({ kind: 'slice', input }, () =>
    lateSlice(input, { limit, offset }),
  );
  return { node, isOrdered };
}

function countOf(compilation: Compilation, node: Node, clause: string): ValueSource {
  const env = { compilation, scope: childScope(undefined), clause };
  const value = operand(env, node);
  const location = locationOf(node);
  if (isTyped(value) && categoryOf(value.type) !== 'number') {
    const message = `argument of ${clause} must be type bigint, not type ${plainTypeText(value.type)}`;
    throw compilation.error('42804', message, location);
  }
  const { source } = coerce(compilation, value, sqlTypes.int8, 'assignment', location);
  if (source === undefined) {
    throw compilation.unsupported(`${clause} with an expression`, location, 'Use a parameter.');
  }
  return source;
}
