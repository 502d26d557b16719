/** Ways to read a table: as a whole, by its primary key, or by an index (design: equality pins a prefix, then at most one range). */

import { columnById, type Index, type Table } from '#catalog';
import { assumed, costs } from '../cost/defaults.ts';
import type { Sarg } from './sarg.ts';

export interface Path {
  readonly kind: 'table' | 'primary' | 'index';
  readonly index: Index | undefined;
  /** Schema ids of the columns in whose order entries come, the primary key at the end. */
  readonly order: readonly number[];
  readonly prefix: readonly Sarg[];
  readonly lower: Sarg | undefined;
  readonly upper: Sarg | undefined;
  /** At most one row. */
  readonly isUnique: boolean;
  readonly rows: number;
  readonly cost: number;
}

/** The whole table, then the primary key and each index as far as the arguments reach into it. */
export function pathsOf(table: Table, sargs: readonly Sarg[]): readonly Path[] {
  const paths = [wholeTable(table)];
  const primary = keyPath(table, undefined, sargs);
  if (isUseful(primary)) paths.push(primary);
  for (const index of table.indexes) paths.push(keyPath(table, index, sargs));
  return paths;
}

export function wholeTable(table: Table): Path {
  return {
    kind: 'table',
    index: undefined,
    order: table.primaryKey,
    prefix: [],
    lower: undefined,
    upper: undefined,
    isUnique: false,
    rows: assumed.tableRows,
    cost: assumed.tableRows * costs.tableRow,
  };
}

/** An index that no argument reaches is a path for its order only. */
export function isUseful({ prefix, lower, upper }: Path): boolean {
  return prefix.length > 0 || lower !== undefined || upper !== undefined;
}

function keyPath(table: Table, index: Index | undefined, sargs: readonly Sarg[]): Path {
  const key = index?.columns ?? table.primaryKey;
  const prefix: Sarg[] = [];
  for (const column of key) {
    const pinning = sargs.find((sarg) => sarg.column === column && isPinning(sarg));
    if (pinning === undefined) break;
    prefix.push(pinning);
  }
  const next = key[prefix.length];
  const lower = sargs.find(({ column, op }) => column === next && (op === 'gt' || op === 'gte'));
  const upper = sargs.find(({ column, op }) => column === next && (op === 'lt' || op === 'lte'));
  const hasNull = prefix.some((sarg) => sarg.op === 'is_null');
  const isUnique = (index?.unique ?? true) && prefix.length === key.length && !hasNull;
  const rows = isUnique ? 1 : estimate(prefix, lower, upper);
  const perRow = index === undefined ? costs.tableRow : costs.indexRow;
  return {
    kind: index === undefined ? 'primary' : 'index',
    index,
    order:
      index === undefined ? key : [...key, ...table.primaryKey.filter((c) => !key.includes(c))],
    prefix,
    lower,
    upper,
    isUnique,
    rows,
    cost: costs.seek + rows * perRow,
  };
}

function isPinning({ op }: Sarg): boolean {
  return op === 'eq' || op === 'is_null';
}

function estimate(prefix: readonly Sarg[], lower?: Sarg, upper?: Sarg): number {
  let rows: number = assumed.tableRows;
  for (const { op } of prefix) rows *= op === 'is_null' ? assumed.isNull : assumed.equal;
  if (lower !== undefined && upper !== undefined) rows *= assumed.keyInterval;
  else if (lower !== undefined || upper !== undefined) rows *= assumed.keyRange;
  return Math.max(1, rows);
}

/** The conjuncts that the path answers by itself. */
export function answeredBy({ prefix, lower, upper }: Path): ReadonlySet<Sarg['conjunct']> {
  const sargs = [...prefix, ...(lower ? [lower] : []), ...(upper ? [upper] : [])];
  return new Set(sargs.map((sarg) => sarg.conjunct));
}

/** After how many columns of `order` no two rows are equal. */
export function totalAfter(table: Table, path: Path): number {
  if (path.isUnique) return 0;
  const { index, order } = path;
  if (index?.unique && index.columns.every((id) => !canBeNullIn(table, path, id))) {
    return index.columns.length;
  }
  return order.length;
}

function canBeNullIn(table: Table, { prefix, lower, upper }: Path, id: number): boolean {
  if (columnById(table, id)?.nullable === false) return false;
  const pinned = prefix.find((sarg) => sarg.column === id);
  if (pinned !== undefined) return pinned.op === 'is_null';
  return lower?.column !== id && upper?.column !== id;
}
