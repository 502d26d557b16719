/** Estimates the number of groups from the distinct values of the grouped columns. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { originOf } from '../facts/column-origin.ts';
import { assumed } from './defaults.ts';
import { leastTrusted, type RowEstimate } from './estimate.ts';
import type { TableRows } from './table-rows.ts';

/** Estimates the groups that these expressions make of `input`, whose estimated row count is `rows`. */
export function groupsOf(
  expressions: readonly BoundExpression[],
  input: BoundRelation,
  rows: RowEstimate,
  counts: TableRows,
): RowEstimate {
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
    // NULL forms a group too.
    if (distinct === undefined) return byDefault(all);
    different *= distinct + 1;
  }
  return { rows: drawn(different, all), origin: leastTrusted('surveyed', rows.origin) };
}

function byDefault(rows: number): RowEstimate {
  return { rows: Math.max(1, rows * assumed.distinct), origin: 'assumed' };
}

/** Returns how many of `different` equally frequent values probably occur in `rows` rows. */
function drawn(different: number, rows: number): number {
  return Math.max(1, Math.min(rows, different * (1 - Math.exp(-rows / different))));
}
