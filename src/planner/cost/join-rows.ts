/** How many pairs of rows the equalities of a join keep. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { type Origin, originOf } from '../facts/origin.ts';
import { assumed } from './defaults.ts';
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
export function pairShare(pairs: readonly KeyPairSides[], counts: TableRows): number | undefined {
  const left = keysOf(
    pairs.map((pair) => pair.left),
    counts,
  );
  const right = keysOf(
    pairs.map((pair) => pair.right),
    counts,
  );
  if (left === undefined && right === undefined) return undefined;
  return 1 / Math.max(1, left ?? 0, right ?? 0);
}

/** How many different keys there are in the tables that they come from. */
function keysOf(sides: readonly KeySide[], counts: TableRows): number | undefined {
  const origins = sides.map(({ expression, relation }) => originOf(expression, relation));
  const known = origins.filter((origin) => origin !== undefined);
  const [first] = known;
  if (first === undefined) return undefined;
  let product = 1;
  let rowsMax = 0;
  for (const { table, column } of known) {
    const { rows } = counts.of(table);
    rowsMax = Math.max(rowsMax, rows);
    if (isKey(table, known)) return rows;
    product *= Math.max(1, distinctIn(table, column, counts));
  }
  return Math.min(product, rowsMax);
}

/** By a key that the column leads, if there is one that somebody has looked at. */
function distinctIn(table: Table, column: number, counts: TableRows): number {
  const { rows } = counts.of(table);
  const index = table.indexes.find((it) => it.columns[0] === column);
  const ofValue =
    index !== undefined || table.primaryKey[0] === column
      ? counts.ofValue(table, index, 1)
      : undefined;
  return ofValue === undefined ? rows * assumed.distinctInColumn : rows / ofValue;
}

/** Whether the columns of `table` among `origins` hold a whole unique key of it. */
function isKey(table: Table, origins: readonly Origin[]): boolean {
  const held = new Set(
    origins.flatMap((origin) => (origin.table.id === table.id ? [origin.column] : [])),
  );
  const holds = (key: readonly number[]) => key.every((id) => held.has(id));
  return holds(table.primaryKey) || table.indexes.some((it) => it.unique && holds(it.columns));
}
