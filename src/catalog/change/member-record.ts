/** From definitions of indexes and foreign keys to their records, by the rules of pir.md §7. */

import { fail } from '#failure';
import type { ForeignKeyDefinition, IndexDefinition } from '../definition.ts';
import { columnByName, columnNames, columnsOf } from '../lookup.ts';
import type { Column, ForeignKey, Index, Table } from '../table.ts';
import { requireName } from './name.ts';

/** The table's columns of these names, in their order; `what` says who names them. */
export function resolveColumns(
  table: Table,
  names: readonly string[],
  what: string,
): readonly Column[] {
  if (names.length === 0) throw fail('invalid', `${what} must contain at least one column`);
  const columns = names.map((name) => {
    const column = columnByName(table, name);
    if (column !== undefined) return column;
    throw fail('invalid', `${what} names the unknown column "${name}" of table "${table.name}"`);
  });
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) throw fail('invalid', `${what} names the column "${repeated}" twice`);
  return columns;
}

export function indexRecord(
  table: Table,
  definition: IndexDefinition,
  physicalId: () => number,
): Index {
  const { name } = definition;
  requireName(name, 'index');
  if (table.indexes.some((index) => index.name === name)) {
    throw fail(
      'invalid',
      `duplicate index name: table "${table.name}" already has an index "${name}"`,
    );
  }
  const columns = resolveColumns(table, definition.columns, `index "${name}"`);
  return {
    name,
    physicalId: physicalId(),
    columns: columns.map((column) => column.id),
    unique: definition.unique ?? false,
  };
}

/** `refTable` is the record that the definition's `ref_table` names, undefined when there is none. */
export function foreignKeyRecord(
  table: Table,
  refTable: Table | undefined,
  definition: ForeignKeyDefinition,
  physicalId: () => number,
): ForeignKey {
  const { name } = definition;
  requireName(name, 'foreign key');
  if (table.foreignKeys.some((key) => key.name === name)) {
    throw fail(
      'invalid',
      `duplicate foreign key name: table "${table.name}" already has a foreign key "${name}"`,
    );
  }
  if (refTable === undefined) {
    throw fail(
      'invalid',
      `foreign key "${name}" references the unknown table "${definition.ref_table}"`,
    );
  }
  const columns = resolveColumns(table, definition.columns, `foreign key "${name}"`);
  requireWholeKey(refTable, definition);
  requireSameTypes(columns, columnsOf(refTable, refTable.primaryKey), name);
  const onDelete = definition.on_delete ?? 'restrict';
  if (onDelete === 'set_null') requireClearable(table, columns, name);
  return {
    name,
    physicalId: physicalId(),
    columns: columns.map((column) => column.id),
    refTable: refTable.id,
    refColumns: refTable.primaryKey,
    onDelete,
  };
}

function requireWholeKey(refTable: Table, definition: ForeignKeyDefinition): void {
  const { name, columns, ref_columns: refColumns } = definition;
  const key = columnNames(refTable, refTable.primaryKey);
  if (refColumns.length !== key.length || key.some((column, i) => column !== refColumns[i])) {
    throw fail(
      'invalid',
      `foreign key "${name}" must reference the whole primary key of table "${refTable.name}" in order: ${key.map((column) => `"${column}"`).join(', ')}`,
    );
  }
  if (columns.length !== key.length) {
    throw fail(
      'invalid',
      `foreign key "${name}" has ${columns.length} columns and references ${key.length}`,
    );
  }
}

function requireSameTypes(
  columns: readonly Column[],
  refColumns: readonly Column[],
  name: string,
): void {
  columns.forEach((column, i) => {
    const refColumn = refColumns[i] as Column;
    if (column.type === refColumn.type) return;
    throw fail(
      'invalid',
      `foreign key "${name}": column "${column.name}" is ${column.type}, the referenced column "${refColumn.name}" is ${refColumn.type}`,
    );
  });
}

/** `set_null` needs columns that may become NULL. */
function requireClearable(table: Table, columns: readonly Column[], name: string): void {
  for (const column of columns) {
    if (table.primaryKey.includes(column.id)) {
      throw fail(
        'invalid',
        `foreign key "${name}": set_null cannot clear the primary key column "${column.name}"`,
      );
    }
    if (!column.nullable) {
      throw fail(
        'invalid',
        `foreign key "${name}": set_null needs the column "${column.name}" to be nullable`,
      );
    }
  }
}
