/** The interface between the planner and the statistics of the data. */

import type { Index, Table } from '#catalog';
import type { IntervalBound } from '#layout';
import type { Scalar } from '#value';
import type { TableSynopsis } from './synopsis/synopsis.ts';

/** A range of key entries: the first members equal `prefix`, which may contain NULL, and the next member is between the bounds. */
interface KeySpan {
  readonly prefix: readonly Scalar[];
  readonly lower: IntervalBound | undefined;
  readonly upper: IntervalBound | undefined;
}

/** A synopsis, with its age and the changes since. */
export interface Surveyed {
  readonly synopsis: TableSynopsis;
  readonly ageMs: number;
  /** Approximate number of rows written since the survey. */
  readonly changes: number;
}

/** The cost of reading a key range from remote storage. */
export interface RemoteReads {
  /** Number of pieces of the range. A read of one row fetches one piece with one request. */
  readonly pieces: number;
  /** Number of pieces that are neither in memory nor on the local disk. */
  readonly cold: number;
  /** Number of waits of a scan of the whole range, which fetches several pieces at a time. */
  readonly scanWaits: number;
  /** Duration of one wait in microseconds, rounded to coarse classes. */
  readonly micros: number;
}

export interface Statistics {
  /** Returns the approximate number of rows of a table. */
  rowsOf(table: Table): number;
  /** Returns the approximate number of rows in a range of an index, or of the primary key if `index` is `undefined`. */
  rowsWithin(table: Table, index: Index | undefined, span: KeySpan): number;
  /**
   * Returns the result of the last survey of a table; `undefined` if there was none, or if the table has since been recreated or has become more than
   * four times larger or smaller. The call requests a new survey if one is due.
   */
  surveyed(table: Table): Surveyed | undefined;
  /**
   * Returns the current cost of reading a table, or one of its indexes, from remote storage. The result is `undefined`, or the method is absent, if the
   * data is on this machine.
   */
  remoteReads?(table: Table, index: Index | undefined): RemoteReads | undefined;
  /** Returns a number that changes each time a survey has found a different result; 0 without a survey. */
  surveyOf(table: Table): number;
}
