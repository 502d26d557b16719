/** Converts catalog records of the desired schema into the definitions of statements. */

import {
  type Catalog,
  type Column,
  type ColumnDefault,
  type ColumnDefinition,
  columnNames,
  type Default,
  type ForeignKey,
  type ForeignKeyDefinition,
  type Index,
  type IndexDefinition,
  type Table,
  type TableDefinition,
  tableById,
} from '#catalog';
import { ByteString, type DefaultLiteral, formatBytes } from '#value';

export function tableDefinition(catalog: Catalog, table: Table): TableDefinition {
  const { id, name, indexes, foreignKeys } = table;
  return {
    name,
    id,
    columns: table.columns.map(columnDefinition),
    primary_key: columnNames(table, table.primaryKey),
    ...(indexes.length > 0 && { indexes: indexes.map((index) => indexDefinition(table, index)) }),
    ...(foreignKeys.length > 0 && {
      foreign_keys: foreignKeys.map((key) => foreignKeyDefinition(catalog, table, key)),
    }),
  };
}

export function columnDefinition(column: Column): ColumnDefinition {
  const { id, name, type, nullable, format, default: given } = column;
  return {
    name,
    type,
    id,
    ...(nullable && { nullable }),
    ...(format !== undefined && { format }),
    ...(given !== undefined && { default: defaultDefinition(given) }),
  };
}

export function indexDefinition(table: Table, index: Index): IndexDefinition {
  const { name, unique } = index;
  return { name, columns: columnNames(table, index.columns), unique };
}

export function foreignKeyDefinition(
  catalog: Catalog,
  table: Table,
  key: ForeignKey,
): ForeignKeyDefinition {
  const refTable = tableById(catalog, key.refTable) as Table;
  return {
    name: key.name,
    columns: columnNames(table, key.columns),
    ref_table: refTable.name,
    ref_columns: columnNames(refTable, key.refColumns),
    on_delete: key.onDelete,
  };
}

export function defaultDefinition(given: Default): ColumnDefault {
  if (given.kind === 'generator') return { kind: 'generator', func: given.func };
  const { value } = given;
  const literal: DefaultLiteral = value instanceof ByteString ? formatBytes(value) : value;
  return { kind: 'literal', value: literal };
}
