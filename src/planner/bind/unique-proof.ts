/** Proves that a filter returns at most one row: its conjuncts pin a whole key of the scan (docs/lir.md §7). */

import type { Table } from '#catalog';
import type { BoundColumn, BoundExpression } from './bound.ts';
import { columnsReadBy } from './columns-read.ts';

/** The pinned columns of a chain of filters, orders and slices over a scan. The set grows along the chain. */
export interface Pins {
  readonly table: Table;
  /** Table column id by bound column id. */
  readonly columns: ReadonlyMap<number, number>;
  /** Table column ids that an equality fixes. */
  readonly pinned: Set<number>;
}

export function pinsOf(table: Table, columns: readonly BoundColumn[]): Pins {
  const ids = table.columns.map((column, i) => [columns[i]?.id as number, column.id] as const);
  return { table, columns: new Map(ids), pinned: new Set() };
}

/** Adds the columns that `predicate` pins. */
export function pin(pins: Pins, predicate: BoundExpression): void {
  const conjuncts = conjunctsOf(predicate);
  for (const conjunct of conjuncts) {
    if (conjunct.kind !== 'compare' || conjunct.op !== 'eq') continue;
    pinOne(pins, conjunct.left, conjunct.right);
    pinOne(pins, conjunct.right, conjunct.left);
  }
}

function pinOne(pins: Pins, column: BoundExpression, other: BoundExpression): void {
  if (column.kind !== 'column') return;
  const id = pins.columns.get(column.id);
  if (id === undefined || pins.pinned.has(id)) return;
  for (const read of columnsReadBy(other)) if (pins.columns.has(read)) return;
  pins.pinned.add(id);
}

/** Returns whether the pinned columns contain the primary key or a unique index. */
export function isAtMostOne({ table, pinned }: Pins): boolean {
  const holds = (columns: readonly number[]) => columns.every((id) => pinned.has(id));
  return (
    holds(table.primaryKey) || table.indexes.some((index) => index.unique && holds(index.columns))
  );
}

/** Returns the operands of a flattened `and`, or the predicate itself if it is not an `and`. */
export function conjunctsOf(predicate: BoundExpression): readonly BoundExpression[] {
  return predicate.kind === 'logical' && predicate.op === 'and' ? predicate.operands : [predicate];
}
