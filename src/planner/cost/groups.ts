/** How many groups rows make: by how many different values their columns have. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { originOf } from '../facts/origin.ts';
import { assumed } from './defaults.ts';
import { leastTrusted, type Rows } from './estimate.ts';
import type { TableRows } from './table-rows.ts';

/** Of `input`, whose rows are estimated as `rows`, by these expressions over it. */
export function groupsOf(
  expressions: readonly BoundExpression[],
  input: BoundRelation,
  rows: Rows,
  counts: TableRows,
): Rows {
  const all = Math.max(1, rows.rows);
  const columns = new Map<Table, number[]>();
  for (const expression of expressions) {
    if (expression.kind === 'literal') continue;
    const origin = originOf(expression, input);
    if (origin === undefined) return byDefault(all);
    const ofTable = columns.get(origin.table) ?? [];
    columns.set(origin.table, [...ofTable, origin.column]);
  }
  let different = 1;
  for (const [table, ids] of columns) {
    const distinct = counts.distinctIn(table, ids);
    // NULL is a group, too.
    if (distinct === undefined) return byDefault(all);
    different *= distinct + 1;
  }
  return { rows: drawn(different, all), origin: leastTrusted('surveyed', rows.origin) };
}

function byDefault(rows: number): Rows {
  return { rows: Math.max(1, rows * assumed.distinct), origin: 'assumed' };
}

/** How many of `different` values are among `rows` rows, each of which has any of them. */
function drawn(different: number, rows: number): number {
  return Math.max(1, Math.min(rows, different * (1 - Math.exp(-rows / different))));
}
