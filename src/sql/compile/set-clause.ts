/** The list of SET: columns with their new values. */

import type { MultiAssignRef, Node, ResTarget } from 'libpg-query';
import { assigned, notNullInRows } from './assign.ts';
import type { Env, Operand, Typed } from './compilation.ts';
import { operand } from './expression.ts';
import { locationOf } from './nodes.ts';
import { type Target, type TargetColumn, targetColumns } from './write-target.ts';

interface Assignment {
  readonly name: string;
  readonly value: Typed;
}

/** Compiles the list. Columns of the key, and those of `fixed`, identify the row and cannot change. */
export function assignments(
  env: Env,
  target: Target,
  list: readonly Node[],
  fixed: readonly string[] = [],
): readonly Assignment[] {
  const { compilation } = env;
  const columns = targetColumns(compilation, target, list);
  return columns.map((one, i) => {
    const { name } = one.column;
    const node = list[i];
    const resTarget: ResTarget = node !== undefined && 'ResTarget' in node ? node.ResTarget : {};
    if (target.key.includes(name) || fixed.includes(name)) {
      const hint = 'Delete the row and insert another one.';
      throw compilation.unsupported(
        `a change of the key column "${name}"`,
        resTarget.location,
        hint,
      );
    }
    const source = sourceOf(env, resTarget);
    const value =
      'SetToDefault' in source ? defaultOf(env, one, resTarget.location) : operand(env, source);
    const refusal = (typed: Typed) => notNullInRows(compilation, typed);
    const location = locationOf(source);
    return { name, value: assigned(compilation, target, one, value, location, refusal) };
  });
}

/** Returns the expression of one column, also if several columns are set from one row. */
function sourceOf({ compilation }: Env, { val, location }: ResTarget): Node {
  if (val === undefined || !('MultiAssignRef' in val)) return val as Node;
  const { source, colno = 1, ncolumns }: MultiAssignRef = val.MultiAssignRef;
  if (source === undefined || !('RowExpr' in source)) {
    const hint = 'Set each column from a separate subquery.';
    throw compilation.unsupported(
      'an assignment of several columns from a subquery',
      location,
      hint,
    );
  }
  const items = source.RowExpr.args ?? [];
  const item = items[colno - 1];
  if (item !== undefined && items.length === ncolumns) return item;
  const message = 'number of columns does not match number of values';
  throw compilation.error('42601', message, location);
}

function defaultOf(
  { compilation }: Env,
  { column, type }: TargetColumn,
  location: number | undefined,
): Operand {
  const fallback = column.default;
  if (fallback?.kind !== 'generator') return compilation.constant(type, fallback?.value ?? null);
  const hint = 'Give the column a value.';
  throw compilation.unsupported(
    `SET "${column.name}" = DEFAULT with a generated default`,
    location,
    hint,
  );
}
