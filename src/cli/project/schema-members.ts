/**
 * The members of a schema: every table, column, index and foreign key, and every property of a column, with its value as text. Two schemas agree in a member if
 * the values under its key are equal. Keys consist of ids, which survive a rename.
 */

import {
  type Catalog,
  type Column,
  type ForeignKey,
  type Index,
  type Table,
  tableById,
} from '#catalog';
import { defaultText } from '#schema';

/** A member of a schema. The order of columns and the primary key are not members because they never change. */
export interface SchemaMember {
  readonly part:
    | 'table'
    | 'column'
    | 'type'
    | 'nullability'
    | 'format'
    | 'default'
    | 'index'
    | 'foreign_key';
  /** The name of a table or column. For a foreign key, the effect of a deletion. */
  readonly value: string;
  /** `users`, `users.email`, or the name of an index or a foreign key. */
  readonly name: string;
  /** Name of the table. */
  readonly table: string;
  /** Keys of the members without which this member cannot exist. */
  readonly within: readonly string[];
}

/** Members by key. The name of an index or a foreign key is not part of its key, so it counts once for its columns. */
export type SchemaMembers = ReadonlyMap<string, SchemaMember>;

export function membersOf({ tables }: Catalog): SchemaMembers {
  return new Map(tables.flatMap(tableMembers));
}

/** Returns whether a schema has exactly this member under the key. */
export function hasMember(catalog: Catalog, key: string, { value }: SchemaMember): boolean {
  const table = tableById(catalog, Number.parseInt(key, 10));
  return table !== undefined && new Map(tableMembers(table)).get(key)?.value === value;
}

type Entry = readonly [key: string, member: SchemaMember];

function tableMembers(table: Table): readonly Entry[] {
  const { id, name } = table;
  return [
    [`${id}`, { part: 'table', value: name, name, table: name, within: [] }],
    ...table.columns.flatMap((column) => columnMembers(table, column)),
    ...table.indexes.map((index) => indexMember(table, index)),
    ...table.foreignKeys.map((key) => foreignKeyMember(table, key)),
  ];
}

function columnMembers(table: Table, column: Column): readonly Entry[] {
  const key = columnKey(table, column.id);
  const at = { name: `${table.name}.${column.name}`, table: table.name };
  const property = { ...at, within: [`${table.id}`, key] };
  const { type, nullable, format } = column;
  const given = column.default === undefined ? 'none' : defaultText(type, column.default);
  return [
    [key, { ...at, part: 'column', value: column.name, within: [`${table.id}`] }],
    [`${key} type`, { ...property, part: 'type', value: type }],
    [
      `${key} nullability`,
      { ...property, part: 'nullability', value: nullable ? 'nullable' : 'not nullable' },
    ],
    [`${key} format`, { ...property, part: 'format', value: format ?? 'none' }],
    [`${key} default`, { ...property, part: 'default', value: given }],
  ];
}

function indexMember(table: Table, { name, columns, unique }: Index): Entry {
  const kind = unique ? 'unique index' : 'index';
  const within = [`${table.id}`, ...columns.map((id) => columnKey(table, id))];
  return [
    `${table.id} ${kind} on ${columns.join()}`,
    { part: 'index', value: kind, name, table: table.name, within },
  ];
}

function foreignKeyMember(table: Table, { name, columns, refTable, onDelete }: ForeignKey): Entry {
  const within = [`${table.id}`, ...columns.map((id) => columnKey(table, id))];
  return [
    `${table.id} foreign key ${columns.join()} to ${refTable}`,
    { part: 'foreign_key', value: onDelete, name, table: table.name, within },
  ];
}

function columnKey({ id }: Table, column: number): string {
  return `${id}.${column}`;
}
