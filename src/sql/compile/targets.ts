/** The list of a SELECT: its expressions, `*`, and the names of the columns. */

import type { ColumnRef, Node, ResTarget } from 'libpg-query';
import { findTable, type ScopeColumn } from '../scope/scope.ts';
import type { Env } from './compilation.ts';
import { operand } from './expression.ts';
import { nameParts } from './nodes.ts';
import { nameOf } from './output-name.ts';
import type { Output } from './query.ts';

export function targetsOf(env: Env, targets: readonly Node[]): readonly Output[] {
  return targets.flatMap((node) => {
    const target: ResTarget = 'ResTarget' in node ? node.ResTarget : {};
    const value = target.val as Node;
    const ref = 'ColumnRef' in value ? value.ColumnRef : undefined;
    if (ref !== undefined && nameParts(ref.fields).at(-1) === '*') return starOf(env, ref);
    return [{ name: target.name ?? nameOf(value) ?? '?column?', operand: operand(env, value) }];
  });
}

/** Expands `*` or `t.*`. */
function starOf(env: Env, { fields, location }: ColumnRef): readonly Output[] {
  const { compilation, scope } = env;
  const [, table, schema] = [...nameParts(fields)].reverse();
  if (table === undefined) {
    if (scope.tables.length === 0) {
      throw compilation.error('42601', 'SELECT * with no tables specified is not valid', location);
    }
    return shown(env, scope.columns, undefined, location);
  }
  const found = findTable(scope, table, schema);
  if (found === undefined) {
    throw compilation.error('42P01', `missing FROM-clause entry for table "${table}"`, location);
  }
  return shown(env, found.columns, table, location);
}

function shown(
  env: Env,
  columns: readonly ScopeColumn[],
  table: string | undefined,
  location: number | undefined,
): readonly Output[] {
  const { scope } = env;
  return columns
    .filter((one) => !one.isHidden)
    .map((one) => {
      scope.uses.count++;
      const reference = { column: one.name, table, location, isOuter: false };
      return { name: one.name, operand: scope.grouped?.(one, reference) ?? one };
    });
}
