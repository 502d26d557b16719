/** The tables of a schema file before shorthands are expanded, with the position of each member. Unreadable members are absent. */

import type { ColumnDefault, ForeignKeyAction } from '#catalog';
import type { ScalarType } from '#value';
import type { Spot, Spotted } from './source.ts';

export interface FileTable {
  readonly spot: Spot;
  readonly id: Spotted<number> | undefined;
  readonly name: Spotted<string> | undefined;
  readonly columns: readonly FileColumn[];
  /** True if every column name is readable. Only then can another name be reported as unknown. */
  readonly hasAllColumns: boolean;
  readonly primaryKey: Spotted<readonly Spotted<string>[]> | undefined;
  readonly indexes: readonly FileIndex[];
  readonly foreignKeys: readonly FileForeignKey[];
}

export interface FileColumn {
  readonly spot: Spot;
  readonly id: Spotted<number> | undefined;
  readonly name: Spotted<string> | undefined;
  readonly type: ScalarType | undefined;
  readonly nullable: boolean;
  readonly pk: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  readonly ref: Spotted<ColumnRef> | undefined;
  readonly format: Spotted<string> | undefined;
  readonly default: Spotted<ColumnDefault> | undefined;
}

/** The table and column of `ref: table.column`. */
interface ColumnRef {
  readonly table: string;
  readonly column: string;
}

export interface FileIndex {
  readonly spot: Spot;
  /** Name in the file; `undefined` if the name is generated from the table and the columns. */
  readonly name: Spotted<string> | undefined;
  readonly columns: readonly Spotted<string>[];
  readonly unique: boolean;
}

export interface FileForeignKey {
  readonly spot: Spot;
  readonly name: Spotted<string> | undefined;
  readonly columns: readonly Spotted<string>[];
  readonly refTable: Spotted<string> | undefined;
  readonly refColumns: readonly Spotted<string>[];
  readonly onDelete: ForeignKeyAction;
}
