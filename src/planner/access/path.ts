/** Access paths of a table: the whole table, its primary key, or an index. Equality pins a prefix of the key, followed by at most one range. */

import { columnById, type Index, type Table } from '#catalog';
import { costs, tableCost } from '../cost/defaults.ts';
import type { RowEstimate } from '../cost/estimate.ts';
import type { TableRows } from '../cost/table-rows.ts';
import type { Sarg } from '../facts/sarg.ts';

export interface Path {
  readonly kind: 'table' | 'primary' | 'index';
  readonly index: Index | undefined;
  /** Schema ids of the columns by which the entries are ordered, with the primary key at the end. */
  readonly order: readonly number[];
  readonly prefix: readonly Sarg[];
  /** The next column equals one of several values. In that case there are no bounds. */
  readonly among: Sarg | undefined;
  readonly lower: Sarg | undefined;
  readonly upper: Sarg | undefined;
  /** The path returns at most one row. */
  readonly isUnique: boolean;
  readonly rows: number;
  readonly origin: RowEstimate['origin'];
  readonly cost: number;
}

/** Returns the paths of a table: the whole table, the primary key if an argument pins or bounds it, and every index. If the arguments pin a whole primary key or unique index, it returns only that path. */
export function pathsOf(table: Table, sargs: readonly Sarg[], counts: TableRows): readonly Path[] {
  // No other path is cheaper, and a lookup by a whole key needs no row counts.
  for (const index of [undefined, ...table.indexes]) {
    if (isWhole(table, index, prefixIn(table, index, sargs))) {
      return [keyPath(table, index, sargs, counts)];
    }
  }
  const primary = keyPath(table, undefined, sargs, counts);
  const paths = [wholeTable(table, counts)];
  if (isUseful(primary)) paths.push(primary);
  for (const index of table.indexes) paths.push(keyPath(table, index, sargs, counts));
  return paths;
}

export function wholeTable(table: Table, counts: TableRows): Path {
  const { rows, origin } = counts.of(table);
  return {
    kind: 'table',
    index: undefined,
    order: table.primaryKey,
    prefix: [],
    among: undefined,
    lower: undefined,
    upper: undefined,
    isUnique: false,
    rows,
    origin,
    cost: tableCost(rows),
  };
}

/** Returns whether an argument pins or bounds the key. Any other index is useful only for its order. */
export function isUseful({ prefix, among, lower, upper }: Path): boolean {
  return prefix.length > 0 || among !== undefined || lower !== undefined || upper !== undefined;
}

function keyPath(
  table: Table,
  index: Index | undefined,
  sargs: readonly Sarg[],
  counts: TableRows,
): Path {
  const key = index?.columns ?? table.primaryKey;
  const prefix = prefixIn(table, index, sargs);
  const next = key[prefix.length];
  const bound = (...ops: readonly Sarg['op'][]) =>
    sargs.find(({ column, op }) => column === next && ops.includes(op));
  const among = bound('among');
  const lower = among === undefined ? bound('gt', 'gte') : undefined;
  const upper = among === undefined ? bound('lt', 'lte') : undefined;
  const isUnique = isWhole(table, index, prefix);
  const { rows, origin }: RowEstimate = isUnique
    ? { rows: 1, origin: 'proven' }
    : counts.within(table, index, { prefix, among, lower, upper });
  return {
    kind: index === undefined ? 'primary' : 'index',
    index,
    order:
      index === undefined ? key : [...key, ...table.primaryKey.filter((c) => !key.includes(c))],
    prefix,
    among,
    lower,
    upper,
    isUnique,
    rows,
    origin,
    cost: isUnique ? pointCost(index) : costOf({ index, among }, rows),
  };
}

/** Returns the arguments that pin the leading columns of the key. */
function prefixIn(table: Table, index: Index | undefined, sargs: readonly Sarg[]): Sarg[] {
  const prefix: Sarg[] = [];
  for (const column of index?.columns ?? table.primaryKey) {
    const pinning = sargs.find((sarg) => sarg.column === column && isPinning(sarg));
    if (pinning === undefined) break;
    prefix.push(pinning);
  }
  return prefix;
}

/** Returns whether the prefix matches at most one row. */
function isWhole(table: Table, index: Index | undefined, prefix: readonly Sarg[]): boolean {
  const { length } = index?.columns ?? table.primaryKey;
  const hasNull = prefix.some((sarg) => sarg.op === 'is_null');
  return (index?.unique ?? true) && prefix.length === length && !hasNull;
}

/** Returns the cost of one lookup by a whole key. An index needs a second lookup to fetch the row. */
function pointCost(index: Index | undefined): number {
  return index === undefined ? costs.point : 2 * costs.point;
}

/** Returns the cost of a path that reads `rows` rows. */
export function costOf({ index, among }: Pick<Path, 'index' | 'among'>, rows: number): number {
  const seeks = among?.values?.length ?? 1;
  return seeks * costs.seek + (index === undefined ? tableCost(rows) : rows * costs.indexRow);
}

function isPinning({ op }: Sarg): boolean {
  return op === 'eq' || op === 'is_null';
}

/** Returns the conjuncts that the path answers completely. */
export function answeredBy({ prefix, among, lower, upper }: Path): ReadonlySet<Sarg['conjunct']> {
  const sargs = [
    ...prefix,
    ...(among ? [among] : []),
    ...(lower ? [lower] : []),
    ...(upper ? [upper] : []),
  ];
  return new Set(sargs.map((sarg) => sarg.conjunct));
}

/** Returns the number of leading columns of `order` after which no two rows are equal. */
export function totalAfter(table: Table, path: Path): number {
  if (path.isUnique) return 0;
  const { index, order } = path;
  if (index?.unique && index.columns.every((id) => !canBeNullIn(table, path, id))) {
    return index.columns.length;
  }
  return order.length;
}

function canBeNullIn(table: Table, { prefix, among, lower, upper }: Path, id: number): boolean {
  if (columnById(table, id)?.nullable === false) return false;
  const pinned = prefix.find((sarg) => sarg.column === id);
  if (pinned !== undefined) return pinned.op === 'is_null';
  return among?.column !== id && lower?.column !== id && upper?.column !== id;
}
