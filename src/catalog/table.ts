/** The catalog's nouns: immutable records of tables and of the catalog as a whole. Everything is referred to by stable id. */

import type { Column, ForeignKey, Index } from './table-parts.ts';
import type { EndedTransition, Transition } from './transition/transition.ts';

/** Both ends included. Lists of ranges ascend, and their members do not touch. */
export type IdRange = readonly [from: number, to: number];

export interface Table {
  /** Schema id: unique in the database, never reused. */
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
  /** Column ids below the highest that were never used; absent means none. */
  readonly columnIdGaps?: readonly IdRange[];
  /** What is being made of the table while it stays in use, by id; absent means nothing. */
  readonly transitions?: readonly Transition[];
}

/** One committed (or tentative) state of the whole catalog. */
export interface Catalog {
  /** 0 for a fresh database; +1 for each revision. */
  readonly version: number;
  /** Commit time of `version`, Unix ms; undefined at version 0. */
  readonly versionAtMs: number | undefined;
  /** By schema id, ascending. */
  readonly tables: readonly Table[];
  /** Highest table id ever used. */
  readonly tableIdMax: number;
  /** Table ids below the highest that were never used; absent means none. */
  readonly tableIdGaps?: readonly IdRange[];
  /** Highest physical id ever used. */
  readonly physicalIdMax: number;
  /** Transitions that have ended, by id: the newest of them; absent means none. */
  readonly endedTransitions?: readonly EndedTransition[];
}
