/** Immutable records of tables and of the whole catalog, which refer to each other by stable id. */

import type { Policies } from './policy/policy.ts';
import type { Column, ForeignKey, Index } from './table-parts.ts';
import type { EndedTransition, Transition } from './transition/transition.ts';

/** A range with both ends included. Lists of ranges are ascending, and their members do not touch. */
export type IdRange = readonly [from: number, to: number];

export interface Table {
  /** Schema id, which is unique in the database and never reused. */
  readonly id: number;
  readonly physicalId: number;
  readonly name: string;
  /** In declaration order. */
  readonly columns: readonly Column[];
  /** Column ids, in key order. */
  readonly primaryKey: readonly number[];
  /** Sorted by name. */
  readonly indexes: readonly Index[];
  /** Sorted by name. */
  readonly foreignKeys: readonly ForeignKey[];
  /** Highest column id ever used. */
  readonly columnIdMax: number;
  /** Unused column ids below the highest one; absent if there are none. */
  readonly columnIdGaps?: readonly IdRange[];
  /** Active transitions of the table, by id; absent if there are none. */
  readonly transitions?: readonly Transition[];
}

/** A committed or tentative state of the whole catalog. */
export interface Catalog {
  /** Version of the schema: 0 for a new database; each revision adds 1. */
  readonly version: number;
  /** Commit time of `version` in Unix ms; `undefined` at version 0. */
  readonly versionAtMs: number | undefined;
  /** All tables, in ascending order of schema id. */
  readonly tables: readonly Table[];
  /** Highest table id ever used. */
  readonly tableIdMax: number;
  /** Unused table ids below the highest one; absent if there are none. */
  readonly tableIdGaps?: readonly IdRange[];
  /** Highest physical id ever used. */
  readonly physicalIdMax: number;
  /** The newest ended transitions, by id; absent if there are none. */
  readonly endedTransitions?: readonly EndedTransition[];
  /** Row policies; absent if there are none. They are not part of the schema. */
  readonly policies?: Policies;
}
