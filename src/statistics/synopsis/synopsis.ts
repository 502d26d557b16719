/** The result of a survey of a table: plain data of bounded size (docs/decisions/0011). */

import type { Scalar } from '#value';
import type { Common } from '../sketch/most-common.ts';

/** `complete`: all rows were read. `sample`: samples of the whole table were read. `prefixLimit`: the limit was reached before all samples were read, so the last part of the table is missing. */
export type Coverage = 'complete' | 'sample' | 'prefixLimit';

export interface TableSynopsis {
  /** Schema id. */
  readonly table: number;
  /** Changes when a table with this id is deleted and created again. */
  readonly physicalId: number;
  /** Rows that were read. */
  readonly observedRows: number;
  /** Approximate number of rows of the table at the time of the survey. */
  readonly tableRows: number;
  readonly coverage: Coverage;
  readonly collectedAtUnixMs: number;
  readonly catalogVersion: number;
  readonly columns: readonly ColumnSynopsis[];
  readonly groups: readonly GroupSynopsis[];
}

interface Counts {
  /** Rows with NULL; for a group, rows with NULL in any of its columns. */
  readonly nulls: number;
  /** Distinct values, or tuples, in the rows that were read. */
  readonly distinct: number;
  readonly distinctIsExact: boolean;
  /** Estimated number of distinct values, or tuples, in the whole table. */
  readonly distinctInTable: number;
}

export interface ColumnSynopsis extends Counts {
  /** Schema id of the column. */
  readonly column: number;
  /** Changes when the values of the column are replaced. */
  readonly physicalId: number;
  /** Average bytes of a value: the length of texts and byte strings, 8 for numbers, 1 for booleans. */
  readonly averageWidth: number;
  /** The least value, truncated if it is a long text; `undefined` if there are no values. */
  readonly minimum: Scalar | undefined;
  readonly maximum: Scalar | undefined;
  readonly mostCommon: readonly Common<Scalar>[];
  /** Bounds of an equi-depth histogram; empty for booleans and byte strings. */
  readonly bounds: readonly Scalar[];
}

export interface GroupSynopsis extends Counts {
  /** Schema ids. */
  readonly columns: readonly number[];
  readonly physicalIds: readonly number[];
  readonly mostCommon: readonly Common<readonly Scalar[]>[];
}
