/** Estimates the share of row pairs that satisfy the equalities of a join. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { type ColumnOrigin, originOf } from '../facts/column-origin.ts';
import { assumed } from './defaults.ts';
import { leastTrusted, type RowEstimate, type Selectivity } from './estimate.ts';
import type { TableRows } from './table-rows.ts';

/** One side of an equality: an expression over its relation. */
interface KeySide {
  readonly expression: BoundExpression;
  readonly relation: BoundRelation;
}

interface KeyPairSides {
  readonly left: KeySide;
  readonly right: KeySide;
}

/**
 * Returns the share of all pairs that match: 1 / n, where n is the larger number of distinct keys of the two sides. This assumes that the keys of the
 * other side all occur among these n. Returns `undefined` if the keys of neither side come from a table.
 */
export function pairShare(
  pairs: readonly KeyPairSides[],
  counts: TableRows,
): Selectivity | undefined {
  const left = keysOf(
    pairs.map((pair) => pair.left),
    counts,
  );
  const right = keysOf(
    pairs.map((pair) => pair.right),
    counts,
  );
  if (left === undefined && right === undefined) return undefined;
  const share = 1 / Math.max(1, left?.rows ?? 0, right?.rows ?? 0);
  const origin = leastTrusted(left?.origin ?? 'proven', right?.origin ?? 'proven');
  return { share, origin };
}

/** Estimates the number of distinct keys in the tables that the keys come from; `undefined` if none of them comes from a table. */
function keysOf(sides: readonly KeySide[], counts: TableRows): RowEstimate | undefined {
  const origins = sides.map(({ expression, relation }) => originOf(expression, relation));
  const known = origins.filter((origin) => origin !== undefined);
  const [first] = known;
  if (first === undefined) return undefined;
  const columns = new Map<Table, number[]>();
  for (const { table, column } of known) {
    if (isKey(table, known)) return counts.of(table);
    columns.set(table, [...(columns.get(table) ?? []), column]);
  }
  let product = 1;
  let rowsMax = 0;
  let origin: RowEstimate['origin'] = 'surveyed';
  for (const [table, ids] of columns) {
    const { rows } = counts.of(table);
    rowsMax = Math.max(rowsMax, rows);
    const distinct = counts.distinctIn(table, ids);
    if (distinct === undefined) origin = 'assumed';
    product *= Math.max(1, distinct ?? assumedIn(rows, ids.length));
  }
  return { rows: Math.min(product, rowsMax), origin };
}

function assumedIn(rows: number, columns: number): number {
  return Math.min(rows, (rows * assumed.distinctInColumn) ** columns);
}

/** Returns whether the columns of `table` in `origins` contain a whole unique key. */
function isKey(table: Table, origins: readonly ColumnOrigin[]): boolean {
  const held = new Set(
    origins.flatMap((origin) => (origin.table.id === table.id ? [origin.column] : [])),
  );
  const holds = (key: readonly number[]) => key.every((id) => held.has(id));
  return holds(table.primaryKey) || table.indexes.some((it) => it.unique && holds(it.columns));
}
