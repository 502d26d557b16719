/** The questions that a planner asks of the data. */

import type { Index, Table } from '#catalog';
import type { Bound } from '#layout';
import type { Scalar } from '#value';
import type { TableSynopsis } from './synopsis/synopsis.ts';

/** Which entries of a key: its first members are `prefix`, NULL among them, and the next one lies between the bounds. */
interface KeySpan {
  readonly prefix: readonly Scalar[];
  readonly lower: Bound | undefined;
  readonly upper: Bound | undefined;
}

/** A synopsis, and what has happened since. */
export interface Surveyed {
  readonly synopsis: TableSynopsis;
  readonly ageMs: number;
  /** Rows that were written since, about. */
  readonly changes: number;
}

/** What reads of a part of the store that lies in a remote place would fetch. */
export interface RemoteReads {
  /** One request fetches one of these for a row. */
  readonly pieces: number;
  /** Pieces that are neither in memory nor on the local disk. */
  readonly cold: number;
  /** How often a scan of all of it waits: it fetches several pieces at a time. */
  readonly scanWaits: number;
  /** Microseconds of one wait, in coarse classes. */
  readonly micros: number;
}

export interface Statistics {
  /** About how many rows a table has. */
  rowsOf(table: Table): number;
  /** About how many of them a part of an index holds; without an index, a part of the primary key. */
  rowsWithin(table: Table, index: Index | undefined, span: KeySpan): number;
  /**
   * What the last survey of a table has found; undefined while there was none, or when the table has become another one since. Being asked makes
   * somebody look.
   */
  surveyed(table: Table): Surveyed | undefined;
  /**
   * What reads of the rows of a table, or of the entries of one of its indexes, would fetch from a remote place as things are now. Undefined, or
   * absent: they are on this machine.
   */
  remoteReads?(table: Table, index: Index | undefined): RemoteReads | undefined;
  /** Another number each time that a survey has found something else than the one before. */
  surveyOf(table: Table): number;
}
