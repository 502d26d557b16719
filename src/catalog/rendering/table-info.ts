/** Tables in the form of the HTTP interface (docs/http.md): plain objects that `JSON.stringify` encodes exactly. */

import { ByteString, formatBytes, formatFloat64, type ScalarType } from '#value';
import type { ForeignKeyAction, GeneratorFunction } from '../definition.ts';
import { columnNames, tableById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column, Default, ForeignKey, Index } from '../table-parts.ts';

export interface TableInfo {
  readonly id: number;
  readonly name: string;
  readonly columns: readonly ColumnInfo[];
  readonly primary_key: readonly string[];
  readonly indexes?: readonly IndexInfo[];
  readonly foreign_keys?: readonly ForeignKeyInfo[];
}

interface ColumnInfo {
  readonly id: number;
  readonly name: string;
  readonly type: ScalarType;
  readonly nullable?: true;
  readonly format?: string;
  readonly default?: DefaultInfo;
}

/** A literal `value` is a string or boolean, or a raw JSON number (`JSON.rawJSON`) with all its digits and, for float64, its fraction. */
type DefaultInfo = { readonly func: GeneratorFunction } | { readonly value: unknown };

interface IndexInfo {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: true;
}

interface ForeignKeyInfo {
  readonly name: string;
  readonly columns: readonly string[];
  readonly ref_table: string;
  readonly ref_columns: readonly string[];
  readonly on_delete: ForeignKeyAction;
}

/** Returns the wire form of a table. Indexes and foreign keys are sorted by name. An empty list is left out. */
export function toTableInfo(catalog: Catalog, table: Table): TableInfo {
  const indexes = table.indexes.map((index) => toIndexInfo(table, index));
  const foreignKeys = table.foreignKeys.map((key) => toForeignKeyInfo(catalog, table, key));
  return {
    id: table.id,
    name: table.name,
    columns: table.columns.map(toColumnInfo),
    primary_key: columnNames(table, table.primaryKey),
    ...(indexes.length > 0 && { indexes }),
    ...(foreignKeys.length > 0 && { foreign_keys: foreignKeys }),
  };
}

/** Returns all tables by id: the wire form of the schema (`SchemaDocument`, `TableList`). */
export function toSchemaDocument(catalog: Catalog): { readonly tables: readonly TableInfo[] } {
  return { tables: catalog.tables.map((table) => toTableInfo(catalog, table)) };
}

function toColumnInfo(column: Column): ColumnInfo {
  const { id, name, type, format } = column;
  return {
    id,
    name,
    type,
    ...(column.nullable && { nullable: true }),
    ...(format !== undefined && { format }),
    ...(column.default && { default: toDefaultInfo(type, column.default) }),
  };
}

function toDefaultInfo(type: ScalarType, value: Default): DefaultInfo {
  if (value.kind === 'generator') return { func: value.func };
  const literal = value.value;
  if (literal instanceof ByteString) return { value: formatBytes(literal) };
  if (type === 'float64') return { value: rawJson(formatFloat64(literal as number)) };
  return { value: type === 'int64' ? rawJson(String(literal)) : literal };
}

function toIndexInfo(table: Table, index: Index): IndexInfo {
  const columns = columnNames(table, index.columns);
  return { name: index.name, columns, ...(index.unique && { unique: true }) };
}

function toForeignKeyInfo(catalog: Catalog, table: Table, key: ForeignKey): ForeignKeyInfo {
  const refTable = tableById(catalog, key.refTable) as Table;
  return {
    name: key.name,
    columns: columnNames(table, key.columns),
    ref_table: refTable.name,
    ref_columns: columnNames(refTable, key.refColumns),
    on_delete: key.onDelete,
  };
}

/** `JSON.rawJSON`, which the type declarations of TypeScript do not contain yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;
