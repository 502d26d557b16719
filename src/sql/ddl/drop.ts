/** DROP TABLE, DROP INDEX and DROP SCHEMA. */

import type { DropStmt, Node } from 'libpg-query';
import type { ForeignKey, Table } from '#catalog';
import { stringOf } from '../statements/node.ts';
import type { CatalogProgram } from './catalog-program.ts';
import { findTable, splitName, tablesOf, type WrittenName, writtenText } from './table-name.ts';

/** Returns the tag. */
export function drop(program: CatalogProgram, node: DropStmt): string {
  const names = (node.objects ?? []).map(nameOf);
  switch (node.removeType) {
    case 'OBJECT_TABLE':
      dropTables(program, node, names);
      return 'DROP TABLE';
    case 'OBJECT_INDEX':
      for (const name of names) dropIndex(program, node, name);
      return 'DROP INDEX';
    case 'OBJECT_SCHEMA':
      for (const name of names) dropSchema(program, node, name.relname ?? '');
      return 'DROP SCHEMA';
    default:
      return dropNothing(program, node, names);
  }
}

function nameOf(node: Node): WrittenName {
  if (!('List' in node)) return { relname: stringOf(node) ?? '', location: -1 };
  const names = (node.List.items ?? []).map((item) => stringOf(item) ?? '');
  const schema = names.at(-2);
  return { relname: names.at(-1) ?? '', location: -1, ...(schema && { schemaname: schema }) };
}

function dropTables(program: CatalogProgram, node: DropStmt, names: readonly WrittenName[]): void {
  const tables = new Set<Table>();
  for (const name of names) {
    const table = findTable(program, name);
    if (table !== undefined) tables.add(table);
    else skipMissing(program, node, 'table', writtenText(name));
  }
  deleteTables(program, tables, node.behavior === 'DROP_CASCADE');
}

/** Deletes first the foreign keys between the tables, and those of other tables if `cascades`. */
function deleteTables(
  program: CatalogProgram,
  tables: ReadonlySet<Table>,
  cascades: boolean,
): void {
  const { catalog } = program.setting;
  for (const table of tables) {
    for (const { table: source, foreignKey } of inboundKeys(program, table)) {
      if (source.id === table.id) continue;
      if (!tables.has(source) && !cascades) throw dependent(program, table, source, foreignKey);
      if (!tables.has(source)) {
        const text = `drop cascades to constraint ${foreignKey.name} on table ${source.name}`;
        program.notice('00000', text);
      }
      const key = foreignKey.name;
      program.add({ kind: 'delete_foreign_key', table_id: source.id, foreign_key: key });
    }
  }
  for (const table of catalog.tables) {
    if (tables.has(table)) program.add({ kind: 'delete_table', table_id: table.id });
  }
}

interface InboundKey {
  readonly table: Table;
  readonly foreignKey: ForeignKey;
}

function inboundKeys(program: CatalogProgram, table: Table): readonly InboundKey[] {
  return program.setting.catalog.tables.flatMap((source) =>
    source.foreignKeys
      .filter(({ refTable }) => refTable === table.id)
      .map((foreignKey) => ({ table: source, foreignKey })),
  );
}

function dependent(program: CatalogProgram, table: Table, source: Table, key: ForeignKey) {
  const { name } = table;
  return program.error('2BP01', `cannot drop table ${name} because other objects depend on it`, {
    detail: `constraint ${key.name} on table ${source.name} depends on table ${name}`,
    hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
  });
}

function dropIndex(program: CatalogProgram, node: DropStmt, name: WrittenName): void {
  const { catalog, searchPath } = program.setting;
  const schemas = name.schemaname === undefined ? searchPath : [name.schemaname];
  const owners = catalog.tables.filter(
    (table) =>
      schemas.includes(splitName(table.name).schema) &&
      table.indexes.some((index) => index.name === name.relname),
  );
  const [owner, another] = owners;
  if (owner === undefined) {
    skipMissing(program, node, 'index', writtenText(name));
    return;
  }
  if (another !== undefined) {
    const text = `index name "${name.relname}" is ambiguous: tables "${owner.name}" and "${another.name}" have one`;
    throw program.error('42P09', text, { hint: 'Drop the index by PIR or the schema file.' });
  }
  program.add({ kind: 'delete_index', table_id: owner.id, index: name.relname ?? '' });
}

function dropSchema(program: CatalogProgram, node: DropStmt, schema: string): void {
  const tables = tablesOf(program.setting.catalog, schema);
  if (schema === 'public') throw program.unsupported('DROP SCHEMA public', 'Drop its tables.');
  if (tables.length === 0) {
    skipMissing(program, node, 'schema', schema);
    return;
  }
  if (node.behavior !== 'DROP_CASCADE') {
    throw program.error(
      '2BP01',
      `cannot drop schema ${schema} because other objects depend on it`,
      {
        detail: tables.map(({ name }) => `table ${name} depends on schema ${schema}`).join('\n'),
        hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
      },
    );
  }
  deleteTables(program, new Set(tables), true);
}

const kinds: Readonly<Record<string, string>> = {
  OBJECT_VIEW: 'view',
  OBJECT_MATVIEW: 'materialized view',
  OBJECT_SEQUENCE: 'sequence',
  OBJECT_TYPE: 'type',
  OBJECT_FUNCTION: 'function',
  OBJECT_EXTENSION: 'extension',
};

/** Drops an object of a kind that never exists. */
function dropNothing(
  program: CatalogProgram,
  node: DropStmt,
  names: readonly WrittenName[],
): string {
  const kind = kinds[node.removeType ?? ''];
  if (kind === undefined || !node.missing_ok) {
    throw program.unsupported(`DROP ${kind?.toUpperCase() ?? 'of this object'}`);
  }
  for (const name of names) skipMissing(program, node, kind, writtenText(name));
  return `DROP ${kind.toUpperCase()}`;
}

const missingStates: Readonly<Record<string, string>> = {
  table: '42P01',
  index: '42704',
  schema: '3F000',
};

function skipMissing(program: CatalogProgram, node: DropStmt, kind: string, name: string): void {
  const text = `${kind} "${name}" does not exist`;
  if (!node.missing_ok) throw program.error(missingStates[kind] ?? '42704', text);
  program.notice('00000', `${text}, skipping`);
}
