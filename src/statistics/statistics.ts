/** The questions that a planner asks of the data. */

import type { Index, Table } from '#catalog';
import type { Bound } from '#layout';
import type { Scalar } from '#value';

/** Which entries of a key: its first members are `prefix`, NULL among them, and the next one lies between the bounds. */
interface KeySpan {
  readonly prefix: readonly Scalar[];
  readonly lower: Bound | undefined;
  readonly upper: Bound | undefined;
}

export interface Statistics {
  /** About how many rows a table has. */
  rowsOf(table: Table): number;
  /** About how many of them a part of an index holds; without an index, a part of the primary key. */
  rowsWithin(table: Table, index: Index | undefined, span: KeySpan): number;
  /**
   * About how many rows have the same values in the first `members` columns of an index, or of the primary key; undefined while nobody has looked.
   * Being asked makes somebody look.
   */
  rowsOfValue(table: Table, index: Index | undefined, members: number): number | undefined;
  /** Another number each time that somebody has looked at a key of the table. */
  surveyOf(table: Table): number;
}
