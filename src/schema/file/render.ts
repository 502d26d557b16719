/** Renders a catalog as a schema file without shorthands. `parseSchema(renderSchema(x))` returns `x` again (docs/schema.md). */

import {
  type Catalog,
  type Column,
  columnNames,
  type Default,
  type ForeignKey,
  type Index,
  type Table,
  tableById,
} from '#catalog';
import { ByteString, formatBytes, formatFloat64, type ScalarType } from '#value';
import { yamlScalar } from '../yaml-text.ts';

export function renderSchema(catalog: Catalog): string {
  if (catalog.tables.length === 0) return 'tables: []\n';
  const tables = catalog.tables.flatMap((table) => renderTable(catalog, table));
  return `tables:\n${tables.map((line) => `  ${line}\n`).join('')}`;
}

/** Returns one entry of `tables` as lines that begin in the column of its dash. */
export function renderTable(catalog: Catalog, table: Table): readonly string[] {
  const { indexes, foreignKeys } = table;
  return [
    `- id: ${table.id}`,
    `  name: ${yamlScalar(table.name)}`,
    '  columns:',
    ...table.columns.map((column) => `    - ${columnText(column)}`),
    `  primary_key: ${names(table, table.primaryKey)}`,
    ...(indexes.length > 0 ? ['  indexes:'] : []),
    ...indexes.map((index) => `    - ${indexText(table, index)}`),
    ...(foreignKeys.length > 0 ? ['  foreign_keys:'] : []),
    ...foreignKeys.map((key) => `    - ${foreignKeyText(catalog, table, key)}`),
  ];
}

/** Returns one entry of `columns`. */
export function columnText(column: Column): string {
  const { id, name, type, nullable, format } = column;
  return members(
    `id: ${id}`,
    `name: ${yamlScalar(name)}`,
    `type: ${type}`,
    nullable && 'nullable: true',
    format !== undefined && `format: ${yamlScalar(format)}`,
    column.default !== undefined && `default: ${defaultText(type, column.default)}`,
  );
}

/** Returns a default in the notation of a schema file. */
export function defaultText(type: ScalarType, given: Default): string {
  if (given.kind === 'generator') return `${given.func}()`;
  const { value } = given;
  if (value instanceof ByteString) return yamlScalar(formatBytes(value));
  if (type === 'float64') return floatText(value as number);
  return typeof value === 'string' ? yamlScalar(value) : String(value);
}

/** Returns `1.0e+300` for 1e300, because YAML 1.1 reads a number without a point, or without the sign of its exponent, as text. */
function floatText(value: number): string {
  return formatFloat64(value)
    .replace(/^(-?\d+)e/, '$1.0e')
    .replace(/e(?=\d)/, 'e+');
}

/** Returns one entry of `indexes`. */
export function indexText(table: Table, index: Index): string {
  return members(
    `name: ${yamlScalar(index.name)}`,
    `columns: ${names(table, index.columns)}`,
    index.unique && 'unique: true',
  );
}

/** Returns one entry of `foreign_keys`. */
export function foreignKeyText(catalog: Catalog, table: Table, key: ForeignKey): string {
  const refTable = tableById(catalog, key.refTable) as Table;
  return members(
    `name: ${yamlScalar(key.name)}`,
    `columns: ${names(table, key.columns)}`,
    `ref_table: ${yamlScalar(refTable.name)}`,
    `ref_columns: ${names(refTable, key.refColumns)}`,
    key.onDelete !== 'restrict' && `on_delete: ${key.onDelete}`,
  );
}

function names(table: Table, ids: readonly number[]): string {
  return `[${columnNames(table, ids).map(yamlScalar).join(', ')}]`;
}

function members(...texts: readonly (string | false)[]): string {
  return `{ ${texts.filter((text) => text !== false).join(', ')} }`;
}
