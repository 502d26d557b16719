/** Report of a synopsis in the response of `GET /statistics` (docs/statistics.md). */

import { ByteString, formatBytes, type Scalar } from '#value';
import type { Common } from '../sketch/most-common.ts';
import type { ColumnSynopsis, GroupSynopsis, TableSynopsis } from '../synopsis/synopsis.ts';

/** Returns the report. `changes` is the number of rows written since the survey. */
export function synopsisReport(synopsis: TableSynopsis, changes: number) {
  const { table, observedRows, physicalId, catalogVersion } = synopsis;
  return {
    table,
    observedRows,
    coverage: isWhole(synopsis) ? 'complete' : 'prefixLimit',
    sampleSize: observedRows,
    changesSinceCollection: Math.round(changes),
    tableExistenceGeneration: physicalId,
    collectedAtUnixMicros: synopsis.collectedAtUnixMs * 1_000,
    catalogVersion,
    columns: synopsis.columns.map((column) => columnReport(column, synopsis)),
    columnGroups: synopsis.groups.map((group) => groupReport(group, synopsis)),
  };
}

function isWhole({ coverage }: TableSynopsis): boolean {
  return coverage === 'complete';
}

/**
 * Returns the number of distinct values. If the survey has read the whole table, it is the number in the rows read, at most the rows without NULL.
 * Otherwise it is an estimate for the table, at most its number of rows, and never marked as exact.
 */
function distinctReport(counts: ColumnSynopsis | GroupSynopsis, synopsis: TableSynopsis) {
  const { nulls, distinct, distinctIsExact, distinctInTable } = counts;
  const { observedRows, tableRows } = synopsis;
  if (isWhole(synopsis)) {
    return { distinct: Math.min(distinct, observedRows - nulls), distinctIsExact };
  }
  return { distinct: Math.round(Math.min(distinctInTable, tableRows)), distinctIsExact: false };
}

function columnReport(column: ColumnSynopsis, synopsis: TableSynopsis) {
  const { nulls, minimum, maximum } = column;
  const rows = synopsis.observedRows;
  return {
    column: column.column,
    valueGeneration: column.physicalId,
    nullFraction: rows === 0 ? 0 : nulls / rows,
    nullCount: nulls,
    ...distinctReport(column, synopsis),
    averageWidth: column.averageWidth,
    ...(minimum !== undefined && minimum !== null && { minimum: shown(minimum) }),
    ...(maximum !== undefined && maximum !== null && { maximum: shown(maximum) }),
    mostCommonValues: column.mostCommon.map((common) => ({
      value: shown(common.value),
      ...frequencies(common),
    })),
  };
}

function groupReport(group: GroupSynopsis, synopsis: TableSynopsis) {
  const { columns, physicalIds, nulls } = group;
  return {
    columns,
    valueGenerations: physicalIds,
    nullCount: nulls,
    ...distinctReport(group, synopsis),
    mostCommonValues: group.mostCommon.map((common) => ({
      values: common.value.map(shown),
      ...frequencies(common),
    })),
  };
}

function frequencies({ frequency, maximumError }: Common<unknown>) {
  return { frequency, lowerFrequency: frequency - maximumError, maximumError };
}

/** Returns a value as text, untruncated and with strings in quotes, so that different values have different texts. */
function shown(value: Scalar): string {
  if (value instanceof ByteString) return formatBytes(value);
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
