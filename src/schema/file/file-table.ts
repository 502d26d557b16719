/** A schema file as it was written: every member with its place, shorthands as they stand. What could not be read is absent. */

import type { ColumnDefault, ForeignKeyAction } from '#catalog';
import type { ScalarType } from '#value';
import type { Spot, Spotted } from './source.ts';

export interface FileTable {
  readonly spot: Spot;
  readonly id: Spotted<number> | undefined;
  readonly name: Spotted<string> | undefined;
  readonly columns: readonly FileColumn[];
  /** Whether the name of each column could be read: only then is any other name unknown. */
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

/** What `ref: table.column` names. */
interface ColumnRef {
  readonly table: string;
  readonly column: string;
}

export interface FileIndex {
  readonly spot: Spot;
  /** Undefined: the name is made of table and columns. */
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
