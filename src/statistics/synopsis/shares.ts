/** Selectivities of predicates and numbers of distinct values, estimated from a synopsis. Selectivities are fractions of all rows of the table. */

import { firstIndex } from '#base';
import type { Table } from '#catalog';
import { comparatorOf, type Scalar, type ScalarType } from '#value';
import { hashOf } from '../sketch/value-hash.ts';
import type { ColumnSynopsis, GroupSynopsis, TableSynopsis } from './synopsis.ts';

/** Minimum selectivity of a range, since a survey does not see the tails of a distribution. */
const rangeShareMin = 1e-5;
/** If the distinct values exceed this fraction of the rows, their number is assumed to grow with the table. */
const growingShare = 0.1;

/** One column in the rows that a survey has read. */
export interface SurveyedColumn {
  readonly type: ScalarType;
  readonly synopsis: ColumnSynopsis;
  readonly table: TableSynopsis;
}

/** Returns the statistics of a column; `undefined` if the survey did not read it or read no rows, or if its values were replaced since. */
export function surveyedColumn(
  synopsis: TableSynopsis,
  table: Table,
  id: number,
): SurveyedColumn | undefined {
  const column = table.columns.find((candidate) => candidate.id === id);
  const found = synopsis.columns.find((candidate) => candidate.column === id);
  if (column === undefined || found?.physicalId !== column.physicalId) return undefined;
  return synopsis.observedRows === 0
    ? undefined
    : { type: column.type, synopsis: found, table: synopsis };
}

export function nullShare({ synopsis, table }: SurveyedColumn): number {
  return synopsis.nulls / table.observedRows;
}

/** Returns the fraction of rows with this value, or with an average value if `value` is `undefined` (unknown). */
export function equalShare(column: SurveyedColumn, value: Scalar | undefined): number {
  const { synopsis, table } = column;
  const values = 1 - nullShare(column);
  if (value === null || values === 0) return 0;
  const distinct = Math.max(1, synopsis.distinctInTable);
  if (value === undefined) return values / distinct;
  const common = commonShares(column);
  const known = common.get(hashOf(value));
  if (known !== undefined) return known;
  // All rows were read, and all values are in the list, so the table has no other value.
  if (table.coverage === 'complete' && synopsis.distinctIsExact && common.size >= distinct) {
    return 0.5 / table.observedRows;
  }
  let rest = values;
  for (const share of common.values()) rest -= share;
  return Math.max(rest, 0) / Math.max(1, distinct - common.size);
}

/** Returns the fractions of the values that are clearly more frequent than average, by hash. */
function commonShares({ synopsis, table }: SurveyedColumn): ReadonlyMap<number, number> {
  const shares = new Map<number, number>();
  const average = (table.observedRows - synopsis.nulls) / Math.max(1, synopsis.distinct);
  for (const { value, frequency, maximumError } of synopsis.mostCommon) {
    const surely = frequency - maximumError;
    const isExact = maximumError === 0 && synopsis.mostCommon.length >= synopsis.distinct;
    if (value === null || !(isExact || surely > 2 * average)) continue;
    shares.set(hashOf(value), (frequency - maximumError / 2) / table.observedRows);
  }
  return shares;
}

/** Returns the fraction of rows between two values; `undefined` as a value means no bound. The result is `undefined` if the survey has no histogram of the column. */
export function rangeShare(
  column: SurveyedColumn,
  lower: Scalar | undefined,
  upper: Scalar | undefined,
): number | undefined {
  const { bounds } = column.synopsis;
  if (bounds.length === 0) return undefined;
  const below = lower === undefined ? 0 : shareBelow(column, lower);
  const above = upper === undefined ? 1 : shareBelow(column, upper);
  return (1 - nullShare(column)) * Math.max(rangeShareMin, above - below);
}

/** Returns the fraction of values below `value`, interpolated between two bounds of the histogram. */
function shareBelow({ type, synopsis: { bounds } }: SurveyedColumn, value: Scalar): number {
  const compare = comparatorOf(type);
  const last = bounds.length - 1;
  const below = firstIndex(0, bounds.length, (at) => compare(bounds[at] as Scalar, value) >= 0);
  if (below === 0) return 0;
  if (below > last) return 1;
  return (below - 1 + partOf(bounds[below - 1] as Scalar, bounds[below] as Scalar, value)) / last;
}

function partOf(from: Scalar, to: Scalar, value: Scalar): number {
  if (!isNumeric(from) || !isNumeric(to) || !isNumeric(value)) return 0.5;
  const width = Number(to) - Number(from);
  return width > 0 ? Math.min(1, Math.max(0, (Number(value) - Number(from)) / width)) : 0.5;
}

function isNumeric(value: Scalar): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns the number of distinct values, or tuples, in a table that has `rows` rows now. */
export function distinctNow(
  { distinctInTable }: ColumnSynopsis | GroupSynopsis,
  { tableRows }: TableSynopsis,
  rows: number,
): number {
  const share = distinctInTable / Math.max(1, tableRows);
  return Math.max(1, share > growingShare ? share * rows : Math.min(distinctInTable, rows));
}

/** Returns the synopsis of exactly these columns together. */
export function groupOf(
  synopsis: TableSynopsis,
  table: Table,
  columns: readonly number[],
): GroupSynopsis | undefined {
  const ids = [...new Set(columns)].sort((a, b) => a - b);
  return synopsis.groups.find(
    (group) =>
      group.columns.length === ids.length &&
      group.columns.every((id, i) => {
        const column = table.columns.find((candidate) => candidate.id === id);
        return id === ids[i] && group.physicalIds[i] === column?.physicalId;
      }),
  );
}

/** Returns the fraction of rows with this tuple, whose values are in the order of the columns of the group. An `undefined` member is unknown. */
export function tupleShare(
  group: GroupSynopsis,
  table: TableSynopsis,
  values: readonly (Scalar | undefined)[],
): number {
  const whole = (table.observedRows - group.nulls) / Math.max(1, table.observedRows);
  const average = whole / Math.max(1, group.distinctInTable);
  if (values.includes(undefined)) return average;
  let rest = whole;
  let common = 0;
  for (const { value, frequency, maximumError } of group.mostCommon) {
    const share = (frequency - maximumError / 2) / table.observedRows;
    const isSure = (frequency - maximumError) / table.observedRows > 2 * average;
    if (isSame(value, values)) return isSure || maximumError === 0 ? share : average;
    if (!isSure) continue;
    rest -= share;
    common++;
  }
  return Math.max(0, rest) / Math.max(1, group.distinctInTable - common);
}

function isSame(tuple: readonly Scalar[], values: readonly (Scalar | undefined)[]): boolean {
  return tuple.every((member, i) => {
    const value = values[i];
    return value !== undefined && value !== null && hashOf(member as never) === hashOf(value);
  });
}
