/** How many pairs of rows the equalities of a join keep. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { type Origin, originOf } from '../facts/origin.ts';
import { assumed } from './defaults.ts';
import { leastTrusted, type Rows, type Share } from './estimate.ts';
import type { TableRows } from './table-rows.ts';

/** One side of an equality, over its relation. */
interface KeySide {
  readonly expression: BoundExpression;
  readonly relation: BoundRelation;
}

interface KeyPairSides {
  readonly left: KeySide;
  readonly right: KeySide;
}

/**
 * The share of all pairs: one in as many as the side with more different keys has, since the keys of the other one are taken to be among them.
 * Undefined when nothing is known of either.
 */
export function pairShare(pairs: readonly KeyPairSides[], counts: TableRows): Share | undefined {
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

/** How many different keys there are in the tables that they come from. */
function keysOf(sides: readonly KeySide[], counts: TableRows): Rows | undefined {
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
  let origin: Rows['origin'] = 'surveyed';
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

/** Whether the columns of `table` among `origins` hold a whole unique key of it. */
function isKey(table: Table, origins: readonly Origin[]): boolean {
  const held = new Set(
    origins.flatMap((origin) => (origin.table.id === table.id ? [origin.column] : [])),
  );
  const holds = (key: readonly number[]) => key.every((id) => held.has(id));
  return holds(table.primaryKey) || table.indexes.some((it) => it.unique && holds(it.columns));
}
