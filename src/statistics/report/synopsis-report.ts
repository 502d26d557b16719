/** What a survey has found, as `GET /statistics` shows it (operations.md §8.5). */

import { ByteString, formatBytes, type Scalar } from '#value';
import type { Common } from '../sketch/most-common.ts';
import type { ColumnSynopsis, GroupSynopsis, TableSynopsis } from '../synopsis/synopsis.ts';

/** `changes`: rows written since. */
export function synopsisReport(synopsis: TableSynopsis, changes: number) {
  const { table, observedRows, coverage, physicalId, catalogVersion } = synopsis;
  return {
    table,
    observedRows,
    // A sample from all over a table has ended by itself.
    coverage: coverage === 'prefixLimit' ? coverage : 'complete',
    sampleSize: observedRows,
    changesSinceCollection: Math.round(changes),
    tableExistenceGeneration: physicalId,
    collectedAtUnixMicros: synopsis.collectedAtUnixMs * 1_000,
    catalogVersion,
    columns: synopsis.columns.map((column) => columnReport(column, observedRows)),
    columnGroups: synopsis.groups.map(groupReport),
  };
}

function columnReport(column: ColumnSynopsis, rows: number) {
  const { nulls, distinct, distinctIsExact, minimum, maximum } = column;
  return {
    column: column.column,
    valueGeneration: column.physicalId,
    nullFraction: rows === 0 ? 0 : nulls / rows,
    nullCount: nulls,
    distinct,
    distinctIsExact,
    averageWidth: column.averageWidth,
    ...(minimum !== undefined && minimum !== null && { minimum: shown(minimum) }),
    ...(maximum !== undefined && maximum !== null && { maximum: shown(maximum) }),
    mostCommonValues: column.mostCommon.map((common) => ({
      value: shown(common.value),
      ...frequencies(common),
    })),
  };
}

function groupReport({ columns, physicalIds, nulls, distinct, ...group }: GroupSynopsis) {
  return {
    columns,
    valueGenerations: physicalIds,
    nullCount: nulls,
    distinct,
    distinctIsExact: group.distinctIsExact,
    mostCommonValues: group.mostCommon.map((common) => ({
      values: common.value.map(shown),
      ...frequencies(common),
    })),
  };
}

function frequencies({ frequency, maximumError }: Common<unknown>) {
  return { frequency, lowerFrequency: frequency - maximumError, maximumError };
}

/** Whole, and texts quoted: two values are never shown alike. */
function shown(value: Scalar): string {
  if (value instanceof ByteString) return formatBytes(value);
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
