/** `create_table`: applies a whole table definition, completely or not at all. */

import { fail } from '#failure';
import type { ColumnDefinition, TableDefinition } from '../definition.ts';
import { requireFew } from '../limits.ts';
import { tableByName } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column, ForeignKey, Index } from '../table-parts.ts';
import { type Changed, changed, PhysicalIds } from './change.ts';
import { checkColumn } from './column-record.ts';
import { type IdSpace, nextId, reserveId, takeId } from './id-space.ts';
import { foreignKeyRecord, indexRecord, resolveColumns } from './member-record.ts';
import { requireName, sortedByName } from './name.ts';

export function createTable(catalog: Catalog, definition: TableDefinition): Changed {
  const { name } = definition;
  requireFreeTableName(catalog, name);
  requireFew('a database', catalog.tables.length + 1, 'tables');
  const space = { max: catalog.tableIdMax, gaps: catalog.tableIdGaps ?? [] };
  const id = definition.id ?? nextId(space, 'table');
  const spaceAfter = takeId(space, id, 'table');
  const ids = new PhysicalIds(catalog);
  const keyed = withPrimaryKey(bareTable(definition, id, ids), definition);
  const table = withForeignKeys(catalog, withIndexes(keyed, definition, ids), definition, ids);
  return changed({
    ...catalog,
    tableIdMax: spaceAfter.max,
    tableIdGaps: spaceAfter.gaps,
    physicalIdMax: ids.max,
    tables: [...catalog.tables, table].sort((left, right) => left.id - right.id),
  });
}

export function requireFreeTableName(catalog: Catalog, name: string): void {
  requireName(name, 'table');
  if (tableByName(catalog, name) === undefined) return;
  throw fail('invalid', `table "${name}" already exists`);
}

/** Returns the table with only its columns, without keys and indexes. */
export function bareTable(
  definition: TableDefinition,
  id: number,
  physicalIds: PhysicalIds,
): Table {
  const { name, columns: definitions } = definition;
  if (definitions.length === 0) {
    throw fail('invalid', `table "${name}" must contain at least one column`);
  }
  requireFew(`table "${name}"`, definitions.length, 'columns');
  const physicalId = physicalIds.next();
  const checked = definitions.map(checkColumn);
  requireDistinct(checked.map((column) => column.name));
  const { columnIds, space } = columnIdsOf(definitions);
  const columns = checked.map(
    (column, i): Column => ({
      id: columnIds[i] as number,
      physicalId: physicalIds.next(),
      ...column,
    }),
  );
  const ids = { columnIdMax: space.max, columnIdGaps: space.gaps };
  return { id, physicalId, name, columns, ...ids, primaryKey: [], indexes: [], foreignKeys: [] };
}

function requireDistinct(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw fail('invalid', `duplicate column "${name}"`);
    seen.add(name);
  }
}

/** Assigns column ids. Explicit ids are reserved first, so that all others are allocated above them. */
function columnIdsOf(definitions: readonly ColumnDefinition[]): {
  readonly columnIds: readonly number[];
  readonly space: IdSpace;
} {
  let space: IdSpace = { max: 0, gaps: [] };
  for (const { id } of definitions) if (id !== undefined) space = takeId(space, id, 'column');
  const columnIds = definitions.map(({ id }) => {
    if (id !== undefined) return id;
    const next = nextId(space, 'column');
    space = reserveId(space, next) as IdSpace;
    return next;
  });
  return { columnIds, space };
}

export function withPrimaryKey(table: Table, definition: TableDefinition): Table {
  return { ...table, primaryKey: primaryKeyOf(table, definition.primary_key) };
}

function primaryKeyOf(table: Table, names: readonly string[]): readonly number[] {
  if (names.length === 0) throw fail('invalid', `table "${table.name}" needs a primary key`);
  const columns = resolveColumns(table, names, 'the primary key');
  const nullable = columns.find((column) => column.nullable);
  if (nullable === undefined) return columns.map((column) => column.id);
  throw fail('invalid', `the primary key column "${nullable.name}" must not be nullable`);
}

export function withIndexes(bare: Table, definition: TableDefinition, ids: PhysicalIds): Table {
  const indexes: Index[] = [];
  for (const index of definition.indexes ?? []) {
    indexes.push(indexRecord({ ...bare, indexes }, index, () => ids.next()));
  }
  return { ...bare, indexes: sortedByName(indexes) };
}

function withForeignKeys(
  catalog: Catalog,
  bare: Table,
  definition: TableDefinition,
  ids: PhysicalIds,
): Table {
  const foreignKeys: ForeignKey[] = [];
  for (const key of definition.foreign_keys ?? []) {
    const refTable = key.ref_table === bare.name ? bare : tableByName(catalog, key.ref_table);
    foreignKeys.push(foreignKeyRecord({ ...bare, foreignKeys }, refTable, key, () => ids.next()));
  }
  return { ...bare, foreignKeys: sortedByName(foreignKeys) };
}
