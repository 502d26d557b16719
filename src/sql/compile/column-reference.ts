/** References to columns. */

import type { ColumnRef } from 'libpg-query';
import { findColumn, findTable, type Reference } from '../scope/scope.ts';
import type { Env, Typed } from './compilation.ts';
import { nameParts } from './nodes.ts';

/** Columns that every table of PostgreSQL has. */
const systemColumns: ReadonlySet<string> = new Set([
  'ctid',
  'xmin',
  'xmax',
  'cmin',
  'cmax',
  'tableoid',
]);

export function columnOf(env: Env, ref: ColumnRef): Typed {
  const parts = nameParts(ref.fields);
  const [column = '', table, schema] = [...parts].reverse();
  const reference = { column, table, schema, location: ref.location };
  const found = findColumn(env.scope, reference);
  if (found.kind === 'column') return found.column;
  throw missing(env, reference, parts, found.kind);
}

function missing(
  { compilation, scope }: Env,
  { column, table, location }: Omit<Reference, 'isOuter'>,
  parts: readonly string[],
  kind: 'ambiguous' | 'missing' | 'missing_table',
): Error {
  if (kind === 'ambiguous') {
    return compilation.error('42702', `column reference "${column}" is ambiguous`, location);
  }
  if (column === '*') return compilation.unsupported('a row as a value', location);
  if (kind === 'missing_table') {
    const name = parts.slice(0, -1).join('.');
    return compilation.error('42P01', `missing FROM-clause entry for table "${name}"`, location);
  }
  if (systemColumns.has(column)) {
    return compilation.unsupported(`the system column ${column}`, location);
  }
  if (table === undefined && findTable(scope, column) !== undefined) {
    return compilation.unsupported('a row as a value', location);
  }
  const name = table === undefined ? `"${column}"` : `${table}.${column}`;
  return compilation.error('42703', `column ${name} does not exist`, location);
}
