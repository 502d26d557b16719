/** The catalog's nouns: immutable records of tables, columns, indexes and keys. Everything is referred to by stable id. */

import type { IdentifierFormat, Scalar, ScalarType } from '#value';
import type { ColumnDefault, ForeignKeyAction } from './definition.ts';
import type { EndedTransition, Transition } from './transition/transition.ts';

/** Both ends included. Lists of ranges ascend, and their members do not touch. */
export type IdRange = readonly [from: number, to: number];

/** A column default in checked form: `value` is a datum of the column's type. */
export type Default =
  | Extract<ColumnDefault, { kind: 'generator' }>
  | { readonly kind: 'literal'; readonly value: Exclude<Scalar, null> };

export interface Column {
  /** Schema id: unique in the table, never reused. */
  readonly id: number;
  /** Storage identity, from the database's one counter; a replacement gets a new one. */
  readonly physicalId: number;
  readonly name: string;
  readonly type: ScalarType;
  readonly nullable: boolean;
  /** Any label; meaningful only where `identifierFormat` is set. */
  readonly format: string | undefined;
  /** `uuid`, `ulid` or `xid` on a bytes column. */
  readonly identifierFormat: IdentifierFormat | undefined;
  readonly default: Default | undefined;
  /** What rows written before the column existed read; fixed for ever. */
  readonly missing: Scalar;
}

export interface Index {
  readonly name: string;
  readonly physicalId: number;
  /** Column ids, in index order. */
  readonly columns: readonly number[];
  readonly unique: boolean;
}

export interface ForeignKey {
  readonly name: string;
  readonly physicalId: number;
  /** Column ids of this table. */
  readonly columns: readonly number[];
  /** Schema id of the referenced table. */
  readonly refTable: number;
  /** Column ids of the referenced table: its whole primary key, in order. */
  readonly refColumns: readonly number[];
  readonly onDelete: ForeignKeyAction;
}

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
