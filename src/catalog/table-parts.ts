/** The parts of tables: columns, indexes and foreign keys, as immutable records with stable ids. */

import type { IdentifierFormat, Scalar, ScalarType } from '#value';
import type { ColumnDefault, ForeignKeyAction } from './definition.ts';

/** A column default in checked form. `value` is a datum of the column's type. */
export type Default =
  | Extract<ColumnDefault, { kind: 'generator' }>
  | { readonly kind: 'literal'; readonly value: Exclude<Scalar, null> };

export interface Column {
  /** Schema id, which is unique in the table and never reused. */
  readonly id: number;
  /** Id of the stored cells, from the physical id counter of the database. A replacement gets a new one. */
  readonly physicalId: number;
  readonly name: string;
  readonly type: ScalarType;
  readonly nullable: boolean;
  /** Any label. The label has a meaning only if `identifierFormat` is set. */
  readonly format: string | undefined;
  /** `uuid`, `ulid` or `xid` on a bytes column. */
  readonly identifierFormat: IdentifierFormat | undefined;
  readonly default: Default | undefined;
  /** Value of the column in rows that were written before the column existed. This value never changes. */
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
