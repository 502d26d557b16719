/** Chooses the access path of a scan. The choice is a pure function: the same facts always give the same path. */

import { columnOrdinal } from '#catalog';
import type { BoundExpression, BoundScan } from '../bind/bound.ts';
import { addColumnsReadBy } from '../bind/columns-read.ts';
import { type Fetches, fetchesOf } from '../cost/cold-reads.ts';
import { assumed, costs, sortCost } from '../cost/defaults.ts';
import { type EstimateSource, leastTrusted, type RowEstimate } from '../cost/estimate.ts';
import { shareOfAll } from '../cost/selectivity.ts';
import type { TableRows } from '../cost/table-rows.ts';
import { type Sarg, sargsOf } from '../facts/sarg.ts';
import { leadingKeys, type Ordering, type OrderKey } from '../order/ordering.ts';
import {
  answeredBy,
  costOf,
  isUseful,
  type Path,
  pathsOf,
  totalAfter,
  wholeTable,
} from './path.ts';

interface AccessWish {
  readonly conjuncts: readonly BoundExpression[];
  /** Ids of the columns that the query reads in addition to those of `conjuncts`. */
  readonly needed: ReadonlySet<number>;
  readonly order: readonly OrderKey[] | undefined;
  /** Only the first rows in `order` are needed, so a path that provides a prefix of `order` helps too. */
  readonly isTop: boolean;
  readonly goal: number;
  readonly isScanOnly: boolean;
  readonly hasIndexOnly: boolean;
  readonly hasKeyLists: boolean;
  readonly counts: TableRows;
  /** Returns the row count that cardinality feedback has recorded for a part of the scan, else `rows`. */
  readonly corrected: (part: string | undefined, rows: RowEstimate) => RowEstimate;
  /** The scan runs once and has these conjuncts in every plan, so that feedback can refer to it as a part of the query. */
  readonly isPart: boolean;
}

export interface AccessChoice {
  readonly path: Path;
  readonly reverse: boolean;
  /** The index holds all columns that the query reads. */
  readonly isCovered: boolean;
  readonly ordering: Ordering;
  /** Conjuncts that the path does not answer. */
  readonly remaining: readonly BoundExpression[];
  /** Estimated number of rows that satisfy `remaining`. */
  readonly rows: number;
  readonly origin: EstimateSource;
  readonly cost: number;
  /** The remote reads that are included in `cost`; `undefined` if all data is local. */
  readonly fetches: Fetches | undefined;
  readonly why: string;
}

export function chooseAccess(scan: BoundScan, wish: AccessWish): AccessChoice {
  const { table } = scan;
  const sargs = sargsOf(scan, wish.conjuncts).filter(
    ({ op }) => wish.hasKeyLists || op !== 'among',
  );
  const paths = wish.isScanOnly
    ? [wholeTable(table, wish.counts)]
    : pathsOf(table, sargs, wish.counts).map((path) => corrected(path, scan, wish));
  // A scan that runs once with its whole key has only this path, so the remote reads need not be estimated.
  const isRemote = !(wish.isPart && paths.length === 1 && paths[0]?.isUnique === true);
  const choices = paths.flatMap((path) => judge(scan, path, sargs, { ...wish, isRemote }));
  choices.sort((a, b) => a.total - b.total);
  const [best] = choices as [Judged];
  const why = choices.map(
    ({ path, total, fetches }) =>
      `${nameOf(path)} costs ${Math.ceil(total)}${waitsOf(fetches?.waits ?? 0)}`,
  );
  return { ...best, why: why.join(', ') };
}

function waitsOf(waits: number): string {
  return waits < 0.5 ? '' : ` with ${Math.round(waits)} remote reads`;
}

interface Judged extends Omit<AccessChoice, 'why'> {
  /** Cost, including the sort that the path may leave to the consumer. */
  readonly total: number;
}

function judge(
  scan: BoundScan,
  path: Path,
  sargs: readonly Sarg[],
  wish: AccessWish & { readonly isRemote: boolean },
): readonly Judged[] {
  const { conjuncts, order = [], goal } = wish;
  const [forward, backward] = [false, true].map((down) => orderingOf(scan, path, sargs, down)) as [
    Ordering,
    Ordering,
  ];
  const reverse = leadingKeys(backward, order) > leadingKeys(forward, order);
  const ordering = reverse ? backward : forward;
  const leading = leadingKeys(ordering, order);
  const isDone = leading === order.length;
  const isHelp = isDone || (wish.isTop && leading > 0);
  if (path.kind === 'index' && !isUseful(path) && !(order.length > 0 && isHelp)) return [];
  const answered = answeredBy(path);
  const remaining = conjuncts.filter((conjunct) => !answered.has(conjunct));
  const { rows, origin } = wish.corrected(
    wish.isPart && remaining.length > 0 ? partKept(scan) : undefined,
    rowsAfter(scan, path, remaining, wish.counts),
  );
  const isCovered = wish.hasIndexOnly && isCoveredBy(scan, path, wish.needed, remaining);
  const saved = isCovered ? path.rows * (costs.indexRow - costs.indexEntry) : 0;
  const cost = path.cost - saved + path.rows * costs.row * remaining.length;
  // A top-k scan must read all rows that tie in the leading keys.
  const ties = isDone || !isHelp ? 0 : tiesIn(scan, order.slice(0, leading), wish.counts);
  const taken = isDone || isHelp ? goal + Math.min(rows, ties) : Infinity;
  const share = Math.min(1, taken / Math.max(rows, 1));
  const reading = { rows: path.rows * share, isCovered };
  const fetches = wish.isRemote ? fetchesOf(scan.table, path, reading, wish.counts) : undefined;
  const read = cost * share + (fetches?.cost ?? 0);
  const total = read + (isDone ? 0 : sortCost(Math.min(rows, taken), wish.isTop ? goal : Infinity));
  return [
    { path, reverse, isCovered, ordering, remaining, rows, origin, cost: read, fetches, total },
  ];
}

/** Estimates how many rows have the same values in these keys. */
function tiesIn(
  { table, columns }: BoundScan,
  keys: readonly OrderKey[],
  counts: TableRows,
): number {
  const { rows } = counts.of(table);
  const ids = keys.flatMap(({ id }) => {
    const column = table.columns[columns.findIndex((candidate) => candidate.id === id)];
    return column === undefined ? [] : [column.id];
  });
  const distinct = counts.distinctIn(table, ids);
  if (distinct === undefined) return Math.min(rows * assumed.equal, assumed.rowsOfValue);
  return rows / distinct;
}

/** Returns the feedback name of the rows that a path reads, when `remaining` conjuncts are left to test. A path that answers all conjuncts has the name of `partKept`. */
export function partRead(scan: BoundScan, { index }: Path, remaining: number): string {
  return remaining === 0 ? partKept(scan) : `${scan.node} by ${index?.name ?? 'key'}`;
}

export function partKept({ node }: Pick<BoundScan, 'node'>): string {
  return `${node} kept`;
}

function corrected(path: Path, scan: BoundScan, wish: AccessWish): Path {
  if (!wish.isPart || path.isUnique || !isUseful(path)) return path;
  const answered = answeredBy(path);
  const remaining = wish.conjuncts.filter((conjunct) => !answered.has(conjunct)).length;
  const { rows, origin } = wish.corrected(partRead(scan, path, remaining), path);
  return rows === path.rows ? path : { ...path, rows, origin, cost: costOf(path, rows) };
}

/** Estimates how many of the rows that the path reads also satisfy `remaining`. */
function rowsAfter(
  scan: BoundScan,
  path: Path,
  remaining: readonly BoundExpression[],
  counts: TableRows,
): RowEstimate {
  if (remaining.length === 0) return path;
  // A lookup by a whole key needs no statistics.
  if (path.isUnique) return { rows: path.rows * assumed.other, origin: 'assumed' };
  const kept = shareOfAll(remaining, { counts, relations: [scan] });
  const rows = Math.max(1, path.rows * kept.share);
  return { rows, origin: leastTrusted(path.origin, kept.origin) };
}

/** Returns whether the index holds all columns that the query reads. A float64 column never counts: keys fold -0 into +0, so the index has lost the sign. */
function isCoveredBy(
  { table, columns }: BoundScan,
  { kind, index, isUnique, order }: Path,
  needed: ReadonlySet<number>,
  remaining: readonly BoundExpression[],
): boolean {
  if (kind !== 'index' || index === undefined || isUnique) return false;
  const read = new Set(needed);
  for (const conjunct of remaining) addColumnsReadBy(conjunct, read);
  return table.columns.every(({ id, type }, i) => {
    if (!read.has(columns[i]?.id as number)) return true;
    return order.includes(id) && type !== 'float64';
  });
}

function orderingOf(
  scan: BoundScan,
  path: Path,
  sargs: readonly Sarg[],
  descending: boolean,
): Ordering {
  const { table, columns } = scan;
  const idOf = (column: number) => columns[columnOrdinal(table, column)]?.id as number;
  const constants = new Set<number>();
  for (const { op, column } of sargs) {
    if (op === 'eq' || op === 'is_null') constants.add(idOf(column));
  }
  const keys = path.order.map((column) => ({ id: idOf(column), descending }));
  return { keys, constants, totalAfter: totalAfter(table, path) };
}

/** Describes a path with its estimated row count and the source of the estimate. */
function nameOf({ kind, index, rows, origin }: Path): string {
  const name =
    kind === 'table' ? 'table' : kind === 'primary' ? 'primary key' : `index ${index?.name}`;
  return `${name} of ${Math.ceil(rows)} rows (${origin})`;
}
