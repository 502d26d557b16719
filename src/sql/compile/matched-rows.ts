/** The rows that UPDATE or DELETE changes. */

import type { Node, UpdateStmt } from 'libpg-query';
import type { Field } from '#lir';
import { childScope, emptyScope, type Scope } from '../scope/scope.ts';
import { truth } from './build.ts';
import type { Compilation, Env } from './compilation.ts';
import { condition } from './condition.ts';
import { fromClause, requireDistinctNames, scanPart } from './from.ts';
import type { FromPart } from './join.ts';
import { withRelations } from './with.ts';
import { field, type Target, targetOf } from './write-target.ts';

/** The rows of a table that a statement changes, with the rows of FROM or USING next to them. */
export interface Matched {
  readonly target: Target;
  readonly env: Env;
  readonly node: string;
  readonly key: readonly Field[];
  /** FROM or USING; `undefined` if there is none. */
  readonly partner: FromPart | undefined;
}

/** Compiles the table, FROM or USING, and WHERE. */
export function matchedRows(
  compilation: Compilation,
  {
    relation,
    whereClause,
    withClause,
  }: Pick<UpdateStmt, 'relation' | 'whereClause' | 'withClause'>,
  from: readonly Node[] | undefined,
): Matched {
  const target = targetOf(compilation, relation);
  const parent: Scope = withRelations(compilation, withClause, emptyScope);
  const own = scanPart(compilation, target.table, relation ?? {});
  const partner = fromClause(compilation, from, parent);
  if (partner !== undefined) requireDistinctNames(compilation, own, partner);
  const scope = childScope(parent, {
    tables: [...own.tables, ...(partner?.tables ?? [])],
    columns: [...own.columns, ...(partner?.columns ?? [])],
  });
  let { node } = own;
  if (partner !== undefined) {
    const on = truth(true);
    node = compilation.node({ kind: 'join', join: 'inner', left: node, right: partner.node, on });
  }
  const env: Env = { compilation, scope, clause: 'WHERE' };
  if (whereClause !== undefined) {
    const predicate = condition(env, whereClause, 'true').expr;
    node = compilation.node({ kind: 'filter', input: node, predicate });
  }
  const key = target.key.map((name) => {
    const found = own.columns.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the key column ${name} is missing`);
    return field(name, found.expr);
  });
  return { target, env, node, key, partner };
}
