/** Tables as plain arrays. */

import type { UserPolicies } from './policies.ts';
import type { Scalar } from './relation.ts';
import type { Value } from './value.ts';

export type Default = { readonly func: string } | { readonly value: Value };

export interface TableColumn {
  readonly id: number;
  name: string;
  readonly type: Scalar;
  readonly nullable: boolean;
  readonly format: string | undefined;
  default: Default | undefined;
}

export interface TableIndex {
  name: string;
  readonly columns: number[];
  readonly unique: boolean;
}

export interface TableForeignKey {
  name: string;
  readonly columns: number[];
  readonly refTable: number;
  readonly refColumns: number[];
  readonly onDelete: string;
}

export interface OracleTable {
  readonly id: number;
  name: string;
  readonly columns: TableColumn[];
  readonly primaryKey: number[];
  readonly indexes: TableIndex[];
  readonly foreignKeys: TableForeignKey[];
  /** Every column id that was ever used. */
  readonly columnIds: Set<number>;
  /** In column order. */
  rows: Value[][];
  /** Increment marks by column id. */
  readonly marks: Map<number, bigint>;
}

export interface Database {
  readonly mode: 'direct' | 'schema';
  tables: OracleTable[];
  /** Every table id that was ever used. */
  readonly tableIds: Set<number>;
  /** Whose programs run; absent where no policies apply. */
  user?: UserPolicies | undefined;
}

export function emptyDatabase(mode: 'direct' | 'schema'): Database {
  return { mode, tables: [], tableIds: new Set() };
}

/** A deep copy: what a failed program is rolled back to. Values are immutable and shared. */
export function copyDatabase(database: Database): Database {
  return {
    ...database,
    tableIds: new Set(database.tableIds),
    tables: database.tables.map((table) => ({
      ...table,
      columnIds: new Set(table.columnIds),
      columns: table.columns.map((column) => ({ ...column })),
      primaryKey: [...table.primaryKey],
      indexes: table.indexes.map((index) => ({ ...index, columns: [...index.columns] })),
      foreignKeys: table.foreignKeys.map((key) => ({ ...key })),
      rows: table.rows.map((row) => [...row]),
      marks: new Map(table.marks),
    })),
  };
}

export function columnName(table: OracleTable, id: number): string {
  return table.columns.find((column) => column.id === id)?.name as string;
}

export function ordinalOf(table: OracleTable, id: number): number {
  return table.columns.findIndex((column) => column.id === id);
}
