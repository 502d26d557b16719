/** The canonical schema JSON and its hash, which is the identity of a schema (docs/schema.md). The order and the omission of members are exact. */

import { ByteString, formatFloat64, type ScalarType } from '#value';
import { columnNames, tableById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column, Default, ForeignKey, Index } from '../table-parts.ts';

interface Canonical {
  readonly json: string;
  readonly hash: string;
}

/** Canonical forms by list of tables. A new version or commit time does not change that list. */
const known = new WeakMap<readonly Table[], Canonical>();

/** Returns `sha256:` and 64 lowercase hex digits. */
export function schemaHash(catalog: Catalog): string {
  return canonicalOf(catalog).hash;
}

export function canonicalSchema(catalog: Catalog): string {
  return canonicalOf(catalog).json;
}

function canonicalOf(catalog: Catalog): Canonical {
  let canonical = known.get(catalog.tables);
  if (canonical === undefined) {
    const tables = catalog.tables.map((table) => tableJson(catalog, table));
    const json = tables.length === 0 ? '{}' : `{"tables":${list(tables)}}`;
    canonical = { json, hash: `sha256:${sha256(json)}` };
    known.set(catalog.tables, canonical);
  }
  return canonical;
}

function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}

function tableJson(catalog: Catalog, table: Table): string {
  const { foreignKeys } = table;
  if (foreignKeys.length === 0) return `{${ownMembers(table)}}`;
  const keys = list(foreignKeys.map((key) => foreignKeyJson(catalog, table, key)));
  return `{${ownMembers(table)},"foreign_keys":${keys}}`;
}

/** The members of a table that do not depend on other tables, cached per table record. */
const own = new WeakMap<Table, string>();

export function ownMembers(table: Table): string {
  let text = own.get(table);
  if (text === undefined) {
    text = ownMembersOf(table);
    own.set(table, text);
  }
  return text;
}

function ownMembersOf(table: Table): string {
  const { indexes } = table;
  return joined([
    `"id":${table.id}`,
    `"name":${quote(table.name)}`,
    `"columns":${list(table.columns.map(columnJson))}`,
    `"primary_key":${names(table, table.primaryKey)}`,
    indexes.length > 0 && `"indexes":${list(indexes.map((index) => indexJson(table, index)))}`,
  ]);
}

function columnJson(column: Column): string {
  const { id, name, type, nullable, format } = column;
  return members(
    `"id":${id}`,
    `"name":${quote(name)}`,
    `"type":"${type}"`,
    nullable && '"nullable":true',
    format !== undefined && `"format":${quote(format)}`,
    column.default !== undefined && `"default":${defaultJson(type, column.default)}`,
  );
}

/** Renders a default. A literal zero value of its type is omitted. */
function defaultJson(type: ScalarType, value: Default): string {
  if (value.kind === 'generator') return `{"func":"${value.func}"}`;
  const literal = value.value;
  const isZero =
    literal instanceof ByteString
      ? literal.bytes.length === 0
      : literal === 0 || literal === '' || literal === false;
  return isZero ? '{}' : `{"${type}":${literalJson(type, literal)}}`;
}

function literalJson(type: ScalarType, value: Exclude<Default, { kind: 'generator' }>['value']) {
  if (value instanceof ByteString) return list(Array.from(value.bytes, String));
  if (type === 'float64') return formatFloat64(value as number);
  return typeof value === 'string' ? quote(value) : String(value);
}

function indexJson(table: Table, index: Index): string {
  return members(
    `"name":${quote(index.name)}`,
    `"columns":${names(table, index.columns)}`,
    index.unique && '"unique":true',
  );
}

function foreignKeyJson(catalog: Catalog, table: Table, key: ForeignKey): string {
  const refTable = tableById(catalog, key.refTable) as Table;
  return members(
    `"name":${quote(key.name)}`,
    `"columns":${names(table, key.columns)}`,
    `"ref_table":${quote(refTable.name)}`,
    `"ref_columns":${names(refTable, key.refColumns)}`,
    key.onDelete !== 'restrict' && `"on_delete":"${key.onDelete}"`,
  );
}

function names(table: Table, ids: readonly number[]): string {
  return list(columnNames(table, ids).map(quote));
}

function members(...texts: readonly (string | false)[]): string {
  return `{${joined(texts)}}`;
}

function joined(texts: readonly (string | false)[]): string {
  return texts.filter((text) => text !== false).join(',');
}

function list(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
