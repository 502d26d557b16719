/** The schema as clients see it: what the emitters of all languages are given. Positions count from 0 and stand for the tables and columns of the lists. */

import type { IdentifierFormat, ScalarType } from '#value';

export interface ClientModel {
  /** Of the accepted schema. */
  readonly version: number;
  readonly hash: string;
  /** By id. */
  readonly tables: readonly ModelTable[];
}

export interface ModelTable {
  /** Schema id. */
  readonly id: number;
  /** As on the wire. */
  readonly name: string;
  /** As declared. */
  readonly columns: readonly ModelColumn[];
  /** Positions of columns: the primary key, then each unique index by name. */
  readonly keys: readonly (readonly number[])[];
  /** By the names of their foreign keys: those of the table's own keys first, then those that lead back, then those through a table between. */
  readonly relations: readonly ModelRelation[];
}

export interface ModelColumn {
  /** Schema id. */
  readonly id: number;
  /** As on the wire. */
  readonly name: string;
  readonly type: ScalarType;
  readonly format: string | undefined;
  readonly identifierFormat: IdentifierFormat | undefined;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** `increment()` makes its values: they count from 1. */
  readonly isCounted: boolean;
  /** The column whose values it holds, over all keys in between: a table's whole primary key, perhaps its own. Undefined where it is no identity. */
  readonly identity: { readonly table: number; readonly column: number } | undefined;
}

/** `one` row that is certainly there, at most one, or many. */
type RelationKind = 'one' | 'maybe' | 'many';

export interface ModelRelation {
  /** What the rules of all languages propose; the emitter makes a member of it. */
  readonly name: string;
  /** The foreign key that it follows, forth or back; through a table between, the one that it follows back to there. */
  readonly key: string;
  /** Of the key's own table. */
  readonly keyTable: number;
  readonly direction: 'forward' | 'reverse' | 'through';
  readonly kind: RelationKind;
  /** The table that it leads to. */
  readonly table: number;
  /** Columns of the table that it leads from, and those of the other table that equal them. */
  readonly own: readonly number[];
  readonly theirs: readonly number[];
  /** The table between: its columns that equal `own`, and those that equal `theirs`. */
  readonly through:
    | {
        readonly table: number;
        readonly own: readonly number[];
        readonly theirs: readonly number[];
      }
    | undefined;
}
