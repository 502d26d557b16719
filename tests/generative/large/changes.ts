/** Changes of many rows at once, to a table and to the rows that the reference has of it. */

import type { Scalar } from '#value';
import type { Draw } from './choices.ts';
import {
  type ColumnName,
  columnNames,
  columnOf,
  type LargeRow,
  type LargeTable,
  textOf,
} from './data.ts';
import { binary, col, lit, predicateOf } from './predicate.ts';

export interface TableChange {
  readonly statement: object;
  /** The rows afterwards. */
  readonly rows: readonly LargeRow[];
  readonly affected: number;
}

export function changeOf(draw: Draw, table: LargeTable): TableChange {
  const { expr, test } = predicateOf(draw, table, 'a');
  const affected = table.rows.filter(test).length;
  const nodes = {
    a_scan: { kind: 'scan', table: table.name, scope: 'a' },
    f: { kind: 'filter', input: 'a_scan', predicate: expr },
  };
  const keys = table.primaryKey.map((name) => ({ as: name, expr: col('a', name) }));
  const statement = (kind: string, fields: readonly object[]) => ({
    kind,
    name: 'm',
    table: table.name,
    relation: {
      nodes: { ...nodes, p: { kind: 'project', input: 'f', fields } },
      root: { node: 'p', cardinality: 'many' },
    },
  });
  if (draw.oneIn(3)) {
    const rows = table.rows.filter((row) => !test(row));
    return { statement: statement('delete', keys), rows, affected };
  }
  const column = draw.pick<ColumnName>(['k', 'w', 'f', 't']);
  const isNull = draw.oneIn(3);
  const value: Scalar = isNull ? null : (draw.pick(table.rows)?.[column] ?? null);
  const constant =
    value === null
      ? { kind: 'lit', value: { type: (columnOf(column) as { type: string }).type } }
      : lit(column, value);
  const [as, change, changed] =
    draw.oneIn(2) && !table.primaryKey.includes('s')
      ? [
          's',
          binary('add', col('a', 's'), lit('s', 1)),
          (row: LargeRow): LargeRow => ({ ...row, s: (row.s as number) + 1 }),
        ]
      : [column, constant, (row: LargeRow): LargeRow => ({ ...row, [column]: value })];
  return {
    statement: statement('update', [...keys, { as, expr: change }]),
    rows: table.rows.map((row) => (test(row) ? changed(row) : row)),
    affected,
  };
}

/** Statements that fill a table, each with a part of the rows. */
export function fillingOf({ name, rows }: LargeTable): object[] {
  const perStatement = 4_000;
  const statements: object[] = [];
  for (let from = 0; from < rows.length; from += perStatement) {
    const cells = rows
      .slice(from, from + perStatement)
      .map((row) => columnNames.map((of) => (row[of] === null ? null : textOf(row[of]))));
    const node = { kind: 'rows', scope: 'v', columns: columnNames.map(columnOf), rows: cells };
    const relation = { nodes: { v: node }, root: { node: 'v', cardinality: 'many' } };
    statements.push({ kind: 'create', name: 'm', table: name, relation });
  }
  return statements;
}

/** All that is in a table. */
export function contentOf(table: LargeTable): { nodes: Record<string, object>; rows: Scalar[][] } {
  return {
    nodes: {
      a_scan: { kind: 'scan', table: table.name, scope: 'a' },
      o: { kind: 'order', input: 'a_scan', terms: [{ expr: col('a', 'id') }] },
    },
    rows: [...table.rows]
      .sort((a, b) => (a.id as number) - (b.id as number))
      .map((row) => columnNames.map((name) => row[name])),
  };
}
