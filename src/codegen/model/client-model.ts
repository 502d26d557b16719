/** The schema in the form that the emitters of all languages receive. Positions count from 0 and refer to the lists of tables and columns. */

import type { IdentifierFormat, ScalarType } from '#value';

export interface ClientModel {
  /** Version of the accepted schema. */
  readonly version: number;
  readonly hash: string;
  /** Ordered by id. */
  readonly tables: readonly ModelTable[];
}

export interface ModelTable {
  /** Schema id. */
  readonly id: number;
  /** The name on the wire. */
  readonly name: string;
  /** Columns in declaration order. */
  readonly columns: readonly ModelColumn[];
  /** Positions of the columns of each key: the primary key, followed by the unique indexes by name. */
  readonly keys: readonly (readonly number[])[];
  /**
   * Relations in three groups: along the table's own foreign keys, back along foreign keys of other tables, and through a join table. Each group is ordered by
   * the name of the foreign key.
   */
  readonly relations: readonly ModelRelation[];
}

export interface ModelColumn {
  /** Schema id. */
  readonly id: number;
  /** The name on the wire. */
  readonly name: string;
  readonly type: ScalarType;
  readonly format: string | undefined;
  readonly identifierFormat: IdentifierFormat | undefined;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** Whether `increment()` generates the values, which count from 1. */
  readonly isCounted: boolean;
  /**
   * The primary-key column whose values this column contains, after following all foreign keys between. The result can be the column itself.
   * `undefined` if the column does not lead to a primary key of one column.
   */
  readonly identity: { readonly table: number; readonly column: number } | undefined;
}

/** `one` row that always exists, at most one row, or many. */
type RelationKind = 'one' | 'maybe' | 'many';

export interface ModelRelation {
  /** The proposed name, equal in all languages. The emitter converts it to the name of a member. */
  readonly name: string;
  /**
   * The foreign key that the relation follows, forward or in reverse. For a relation through a join table, the key that it follows in reverse to that table.
   */
  readonly key: string;
  /** Position of the table that has the foreign key. */
  readonly keyTable: number;
  readonly direction: 'forward' | 'reverse' | 'through';
  readonly kind: RelationKind;
  /** Position of the table that the relation leads to. */
  readonly table: number;
  /** Positions of the columns of the table that the relation leads from. `theirs` are the columns of the other table with equal values. */
  readonly own: readonly number[];
  readonly theirs: readonly number[];
  /** The join table: its columns that equal `own`, and those that equal `theirs`. */
  readonly through:
    | {
        readonly table: number;
        readonly own: readonly number[];
        readonly theirs: readonly number[];
      }
    | undefined;
}
