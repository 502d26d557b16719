/** Nested results in the three dialects of SQL. */

import type { Dialect } from './question.ts';

/** A subquery that returns the rows of `from` as a JSON array of objects. A field is `alias.column`, and `from` returns columns of that name. */
export function objects(dialect: Dialect, fields: readonly string[], from: string): string {
  const list = fields.map((field) => field.split('.')[1] as string);
  const row = objectOf(
    dialect,
    list.map((name) => [name, name]),
  );
  switch (dialect) {
    case 'sqlite':
      return `(select json_group_array(${row}) from (${from}))`;
    case 'duckdb':
      return `(select coalesce(to_json(list(${row})), json('[]')) from (${from}))`;
    case 'postgres':
      return `(select coalesce(json_agg(${row}), '[]') from (${from}) as rows)`;
  }
}

/** A subquery that returns the only row of `from`, which begins with FROM, as a JSON object. */
export function object(dialect: Dialect, fields: readonly string[], from: string): string {
  const list = fields.map((field) => [field.split('.')[1] as string, field] as const);
  const row = objectOf(dialect, list);
  return `(select ${dialect === 'duckdb' ? `to_json(${row})` : row} ${from})`;
}

/** SQLite keeps JSON of a subquery as text unless told otherwise. */
export function nested(dialect: Dialect, sql: string): string {
  return dialect === 'sqlite' ? `json(${sql})` : sql;
}

function objectOf(dialect: Dialect, fields: readonly (readonly [string, string])[]): string {
  if (dialect === 'duckdb') return `{${fields.map(([name, of]) => `${name}: ${of}`).join(', ')}}`;
  const list = fields.map(([name, of]) => `'${name}', ${of}`).join(', ');
  return `${dialect === 'sqlite' ? 'json_object' : 'json_build_object'}(${list})`;
}
