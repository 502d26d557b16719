/** Catalog statements by the rules of docs/pir.md §6, on mutable plain tables. */

import type {
  CatalogChange,
  ColumnDefault,
  ColumnDefinition,
  ForeignKeyDefinition,
  IndexDefinition,
  TableDefinition,
} from '#catalog';
import {
  type Database,
  type Default,
  type OracleTable,
  ordinalOf,
  type TableColumn,
} from './database.ts';
import { isInt64 } from './literal.ts';
import { checkReferences, checkUnique } from './mutation.ts';
import { invalid } from './problem.ts';
import type { Scalar } from './relation.ts';
import { Bytes, parseIdentifier, type Value } from './value.ts';

const identifierFormats = ['uuid', 'ulid', 'xid'];

/** `checksData`: also what depends on rows; false in the preflight. */
export function applyChange(database: Database, change: CatalogChange, checksData: boolean): void {
  if (change.kind === 'create_table') {
    createTable(database, change.table);
    return;
  }
  const table = database.tables.find((candidate) => candidate.id === change.table_id);
  if (table === undefined) throw invalid('invalid', 'unknown table id');
  switch (change.kind) {
    case 'rename_table':
      renameTable(database, table, change.to);
      return;
    case 'delete_table': {
      const isReferenced = database.tables.some(
        (other) => other !== table && other.foreignKeys.some((key) => key.refTable === table.id),
      );
      need(!isReferenced, 'referenced');
      database.tables = database.tables.filter((other) => other !== table);
      return;
    }
    case 'create_column':
      createColumn(table, change.column);
      return;
    case 'rename_column':
      renameColumn(table, columnOf(table, change.column_id), change.to);
      return;
    case 'change_column_default':
      changeDefault(columnOf(table, change.column_id), change.default);
      return;
    case 'delete_column':
      deleteColumn(database, table, columnOf(table, change.column_id));
      return;
    case 'create_index':
      createIndex(table, change.index);
      if (checksData) checkUnique(table);
      return;
    case 'delete_index': {
      const at = table.indexes.findIndex((index) => index.name === change.index);
      need(at >= 0, 'unknown index');
      table.indexes.splice(at, 1);
      return;
    }
    case 'create_foreign_key':
      createForeignKey(database, table, change.foreign_key);
      if (checksData) checkReferences(database, table);
      return;
    case 'delete_foreign_key': {
      const at = table.foreignKeys.findIndex((key) => key.name === change.foreign_key);
      need(at >= 0, 'unknown foreign key');
      table.foreignKeys.splice(at, 1);
    }
  }
}

function need(condition: boolean, what: string): void {
  if (!condition) throw invalid('invalid', what);
}

function columnOf(table: OracleTable, id: number): TableColumn {
  const column = table.columns.find((candidate) => candidate.id === id);
  if (column === undefined) throw invalid('invalid', 'unknown column id');
  return column;
}

function createTable(database: Database, definition: TableDefinition): void {
  const id = definition.id ?? Math.max(0, ...database.tableIds) + 1;
  need(!database.tableIds.has(id), 'id used');
  need(!database.tables.some((table) => table.name === definition.name), 'name');
  const table: OracleTable = {
    id,
    name: definition.name,
    columns: [],
    primaryKey: [],
    indexes: [],
    foreignKeys: [],
    columnIds: new Set(),
    rows: [],
    marks: new Map(),
  };
  for (const column of definition.columns) addColumn(table, column);
  for (const name of definition.primary_key) {
    const column = table.columns.find((candidate) => candidate.name === name);
    need(column !== undefined && !column.nullable, 'primary key');
    table.primaryKey.push((column as TableColumn).id);
  }
  need(new Set(definition.primary_key).size === definition.primary_key.length, 'primary key twice');
  for (const index of definition.indexes ?? []) createIndex(table, index);
  database.tables.push(table);
  database.tableIds.add(id);
  for (const key of definition.foreign_keys ?? []) createForeignKey(database, table, key);
}

function addColumn(table: OracleTable, definition: ColumnDefinition): TableColumn {
  const id = definition.id ?? Math.max(0, ...table.columnIds) + 1;
  need(!table.columns.some((column) => column.name === definition.name), 'column name');
  need(!table.columnIds.has(id), 'column id');
  const column: TableColumn = {
    id,
    name: definition.name,
    type: definition.type,
    nullable: definition.nullable ?? false,
    format: definition.format,
    default: undefined,
  };
  try {
    column.default = defaultOf(column, definition.default);
  } catch {
    throw invalid('schema_violation', 'default');
  }
  table.columns.push(column);
  table.columnIds.add(id);
  return column;
}

function createColumn(table: OracleTable, definition: ColumnDefinition): void {
  const column = addColumn(table, definition);
  const literal = column.default !== undefined && 'value' in column.default;
  need(column.nullable || literal, 'needs a literal default');
  const missing = literal ? (column.default as { value: Value }).value : null;
  for (const row of table.rows) row.push(missing);
}

function deleteColumn(database: Database, table: OracleTable, column: TableColumn): void {
  const isUsed =
    table.primaryKey.includes(column.id) ||
    table.indexes.some((index) => index.columns.includes(column.id)) ||
    table.foreignKeys.some((key) => key.columns.includes(column.id)) ||
    database.tables.some((other) =>
      other.foreignKeys.some(
        (key) => key.refTable === table.id && key.refColumns.includes(column.id),
      ),
    );
  need(!isUsed, 'column in use');
  const at = table.columns.indexOf(column);
  table.columns.splice(at, 1);
  for (const row of table.rows) row.splice(at, 1);
}

function changeDefault(column: TableColumn, definition: ColumnDefault | undefined): void {
  const next = defaultOf(column, definition);
  const isIncrement = (value: Default | undefined) =>
    value !== undefined && 'func' in value && value.func === 'increment';
  need(isIncrement(column.default) === isIncrement(next), 'increment is immutable');
  column.default = next;
}

function defaultOf(
  column: TableColumn,
  definition: ColumnDefault | undefined,
): Default | undefined {
  if (definition === undefined) return undefined;
  if (definition.kind === 'generator') {
    const { func } = definition;
    const wanted = func.startsWith('uuid') ? 'uuid' : func;
    const isNumber = func === 'now_ms' || func === 'increment';
    const fits = isNumber
      ? column.type === 'int64'
      : column.type === 'bytes' && column.format === wanted;
    need(fits, 'generator');
    return { func };
  }
  return { value: literalDefault(column.type, column.format, definition.value) };
}

function literalDefault(type: Scalar, format: string | undefined, given: unknown): Value {
  switch (type) {
    case 'int64': {
      const isWhole = typeof given === 'bigint' || Number.isSafeInteger(given);
      need(isWhole && isInt64(BigInt(given as number)), 'int64 default');
      return BigInt(given as number);
    }
    case 'float64': {
      const value = typeof given === 'bigint' ? Number(given) : given;
      need(typeof value === 'number' && Number.isFinite(value), 'float64 default');
      return value as number;
    }
    case 'bool':
      need(typeof given === 'boolean', 'bool default');
      return given as boolean;
    case 'text':
      need(typeof given === 'string', 'text default');
      return given as string;
    case 'bytes': {
      need(typeof given === 'string', 'bytes default');
      if (format !== undefined && identifierFormats.includes(format)) {
        const data = parseIdentifier(format, given as string);
        need(data !== undefined, 'identifier default');
        return new Bytes(data as Uint8Array, format);
      }
      const data = Buffer.from(given as string, 'base64');
      need(data.toString('base64') === given, 'base64 default');
      return new Bytes(new Uint8Array(data));
    }
  }
}

function createIndex(table: OracleTable, definition: IndexDefinition): void {
  need(!table.indexes.some((index) => index.name === definition.name), 'index name');
  const columns = definition.columns.map((name) => idOf(table, name));
  need(new Set(columns).size === columns.length, 'index column twice');
  table.indexes.push({ name: definition.name, columns, unique: definition.unique ?? false });
}

function idOf(table: OracleTable, name: string): number {
  const column = table.columns.find((candidate) => candidate.name === name);
  need(column !== undefined, 'unknown column');
  return (column as TableColumn).id;
}

function createForeignKey(
  database: Database,
  table: OracleTable,
  definition: ForeignKeyDefinition,
): void {
  need(!table.foreignKeys.some((key) => key.name === definition.name), 'foreign key name');
  const parent = database.tables.find((candidate) => candidate.name === definition.ref_table);
  if (parent === undefined) throw invalid('invalid', 'referenced table');
  const columns = definition.columns.map((name) => idOf(table, name));
  const refColumns = definition.ref_columns.map((name) => idOf(parent, name));
  need(refColumns.join() === parent.primaryKey.join(), 'full primary key');
  need(columns.length === refColumns.length, 'count');
  for (const [i, id] of columns.entries()) {
    const type = parent.columns[ordinalOf(parent, refColumns[i] as number)]?.type;
    need(columnOf(table, id).type === type, 'type');
  }
  const onDelete = definition.on_delete ?? 'restrict';
  if (onDelete === 'set_null') {
    const isClearable = (id: number) =>
      columnOf(table, id).nullable && !table.primaryKey.includes(id);
    need(columns.every(isClearable), 'set_null');
  }
  table.foreignKeys.push({
    name: definition.name,
    columns,
    refTable: parent.id,
    refColumns,
    onDelete,
  });
}

/** The names that follow a rename because they are exactly the generated ones. */
function followRename(table: OracleTable, rename: () => void): void {
  const name = (id: number) => columnOf(table, id).name;
  const indexName = (index: { columns: number[]; unique: boolean }) =>
    `${table.name}_${index.columns.map(name).join('_')}_${index.unique ? 'uq' : 'idx'}`;
  const keyName = (key: { columns: number[] }) =>
    `${table.name}_${name(key.columns[0] as number)}_fk`;
  const indexes = table.indexes.filter((index) => index.name === indexName(index));
  const keys = table.foreignKeys.filter(
    (key) => key.columns.length === 1 && key.name === keyName(key),
  );
  rename();
  for (const index of indexes) index.name = indexName(index);
  for (const key of keys) key.name = keyName(key);
  const isUnique = (names: readonly string[]) => new Set(names).size === names.length;
  need(isUnique(table.indexes.map((index) => index.name)), 'generated index name');
  need(isUnique(table.foreignKeys.map((key) => key.name)), 'generated key name');
}

function renameTable(database: Database, table: OracleTable, to: string): void {
  if (table.name === to) return;
  need(!database.tables.some((other) => other.name === to), 'table name');
  followRename(table, () => {
    table.name = to;
  });
}

function renameColumn(table: OracleTable, column: TableColumn, to: string): void {
  if (column.name === to) return;
  need(!table.columns.some((other) => other.name === to), 'column name');
  followRename(table, () => {
    column.name = to;
  });
}
