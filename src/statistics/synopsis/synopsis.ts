/** What a survey leaves behind of a table: plain data, of bounded size (docs/decisions/0011). */

import type { Scalar } from '#value';
import type { Common } from '../sketch/most-common.ts';

/** `sample`: pieces from all over the table. `prefixLimit`: time was up before all of them were read, so there is nothing of its last part. */
export type Coverage = 'complete' | 'sample' | 'prefixLimit';

export interface TableSynopsis {
  /** Schema id. */
  readonly table: number;
  /** Another one when a table of that id is deleted and made again. */
  readonly physicalId: number;
  /** Rows that were read. */
  readonly observedRows: number;
  /** Rows of the table then, about. */
  readonly tableRows: number;
  readonly coverage: Coverage;
  readonly collectedAtUnixMs: number;
  readonly catalogVersion: number;
  readonly columns: readonly ColumnSynopsis[];
  readonly groups: readonly GroupSynopsis[];
}

interface Counts {
  /** Rows with NULL; of a group with any. */
  readonly nulls: number;
  /** Different values, or tuples, among the rows that were read. */
  readonly distinct: number;
  readonly distinctIsExact: boolean;
  /** As many are taken to be in the whole table. */
  readonly distinctInTable: number;
}

export interface ColumnSynopsis extends Counts {
  /** Schema id. */
  readonly column: number;
  /** Another one when the values of the column were replaced. */
  readonly physicalId: number;
  /** Bytes of texts and byte strings, 8 of numbers, 1 of truths. */
  readonly averageWidth: number;
  /** Of long texts the first part only. Undefined without values. */
  readonly minimum: Scalar | undefined;
  readonly maximum: Scalar | undefined;
  readonly mostCommon: readonly Common<Scalar>[];
  /** Bounds of ranges that hold as many values each; none of truths and byte strings. */
  readonly bounds: readonly Scalar[];
}

export interface GroupSynopsis extends Counts {
  /** Schema ids. */
  readonly columns: readonly number[];
  readonly physicalIds: readonly number[];
  readonly mostCommon: readonly Common<readonly Scalar[]>[];
}
