/** Subqueries as expressions: a value, EXISTS, and ARRAY. */

import type { Node, SubLink } from 'libpg-query';
import type { Expression } from '#lir';
import { arrayOf, plainTypeText, sqlTypes } from '../types/registry.ts';
import type { Env, Typed } from './compilation.ts';
import { subqueryCondition } from './quantified.ts';
import { type CompiledQuery, queryOf } from './query.ts';

export function subquery(env: Env, content: SubLink): Typed {
  const { compilation } = env;
  const { subLinkType, subselect, location } = content;
  switch (subLinkType) {
    case 'EXISTS_SUBLINK': {
      const { node } = queryOf(env, subselect as Node);
      return { type: sqlTypes.bool, expr: { kind: 'exists', node }, nullable: false };
    }
    case 'EXPR_SUBLINK':
      return scalar(env, queryOf(env, subselect as Node), location);
    case 'ARRAY_SUBLINK':
      return array(env, content);
    case 'ANY_SUBLINK':
    case 'ALL_SUBLINK':
      return subqueryCondition(env, content, 'value');
    default:
      throw compilation.unsupported('a comparison of a row with a subquery', location);
  }
}

function scalar(env: Env, query: CompiledQuery, location: number | undefined): Typed {
  const column = singleColumn(env, query, location);
  const { type } = column;
  if (type.element !== undefined && column.isNested) {
    throw env.compilation.unsupported('a subquery whose value is an array', location);
  }
  // A second row is an error. LIR checks that while the statement runs, unless it is impossible.
  const check = query.isSingle ? {} : { check: true };
  const expr = { kind: 'scalar', node: query.node, ...check } as Expression;
  return { type, expr, nullable: true };
}

function array(env: Env, { subselect, location }: SubLink): Typed {
  const { compilation } = env;
  const query = queryOf(env, subselect as Node, { isOrdered: true });
  const { type } = singleColumn(env, query, location);
  const list = arrayOf(type);
  if (list === undefined) {
    throw compilation.unsupported(`an array of ${plainTypeText(type)}`, location);
  }
  const expr: Expression = { kind: 'array', node: query.node };
  return { type: list, expr, nullable: false, isNested: true };
}

function singleColumn(env: Env, { columns }: CompiledQuery, location: number | undefined) {
  const [column] = columns;
  if (column === undefined || columns.length > 1) {
    throw env.compilation.error('42601', 'subquery must return only one column', location);
  }
  return column;
}
