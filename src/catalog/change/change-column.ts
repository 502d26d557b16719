/** Changes of columns: create, rename, change the default, delete. */

import { fail } from '#failure';
import type { ColumnDefault, ColumnDefinition } from '../definition.ts';
import { requireFew } from '../limits.ts';
import { columnByName } from '../lookup.ts';
import { requireColumnUnread } from '../policy/uses.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column } from '../table-parts.ts';
import { requireColumnIdle, requireNoReplacement } from '../transition/admission.ts';
import {
  type Changed,
  changed,
  PhysicalIds,
  requireColumn,
  requireTable,
  withColumn,
  withTable,
} from './change.ts';
import { checkColumn } from './column-record.ts';
import { checkDefault, isIncrement, isSameDefault } from './default.ts';
import { nextId, takeId } from './id-space.ts';
import { followRename, requireName } from './name.ts';

/** Adds a column. A literal default becomes the missing value, which older rows keep even if the default changes later. */
export function createColumn(
  catalog: Catalog,
  tableId: number,
  definition: ColumnDefinition,
): Changed {
  const table = requireTable(catalog, tableId);
  const checked = checkColumn(definition);
  requireFreeColumnName(table, definition.name);
  requireFew(`table "${table.name}"`, table.columns.length + 1, 'columns');
  const missing = checked.default?.kind === 'literal' ? checked.default.value : null;
  if (!checked.nullable && missing === null) {
    throw fail(
      'invalid',
      `added column "${definition.name}" must be nullable or have a literal default; add it as nullable, fill it, then make it not nullable`,
    );
  }
  const space = { max: table.columnIdMax, gaps: table.columnIdGaps ?? [] };
  const id = definition.id ?? nextId(space, 'column');
  const { max, gaps } = takeId(space, id, 'column');
  const ids = new PhysicalIds(catalog);
  const column: Column = { id, physicalId: ids.next(), ...checked, missing };
  const columns = [...table.columns, column];
  const grown = { ...table, columns, columnIdMax: max, columnIdGaps: gaps };
  return changed({ ...withTable(catalog, grown), physicalIdMax: ids.max });
}

/** Renames a column. Keys and indexes refer to columns by id, so only generated names must be adapted. */
export function renameColumn(
  catalog: Catalog,
  tableId: number,
  columnId: number,
  to: string,
): Changed {
  const table = requireTable(catalog, tableId);
  const column = requireColumn(table, columnId);
  if (column.name === to) return undefined;
  requireName(to, 'column');
  requireFreeColumnName(table, to);
  const renamed = withColumn(table, { ...column, name: to });
  return changed(withTable(catalog, followRename(table, renamed)));
}

export function changeColumnDefault(
  catalog: Catalog,
  tableId: number,
  columnId: number,
  definition: ColumnDefault | undefined,
): Changed {
  const table = requireTable(catalog, tableId);
  const column = requireColumn(table, columnId);
  const after = definition && checkDefault(column, definition, 'invalid');
  if (isSameDefault(column.default, after)) return undefined;
  const what = `the default of column "${column.name}" cannot be changed`;
  requireNoReplacement(table, [columnId], what);
  if (isIncrement(column.default) || isIncrement(after)) {
    throw fail('invalid', `increment generator on column "${column.name}" is immutable`);
  }
  return changed(withTable(catalog, withColumn(table, { ...column, default: after })));
}

/** Deletes a column. Rows keep its cells until reclamation, but no program can read them. */
export function deleteColumn(catalog: Catalog, tableId: number, columnId: number): Changed {
  const table = requireTable(catalog, tableId);
  const column = requireColumn(table, columnId);
  const user = userOf(table, columnId);
  if (user !== undefined) {
    throw fail('invalid', `column "${column.name}" cannot be deleted: it is used by ${user}`);
  }
  const what = `column "${column.name}" cannot be deleted`;
  requireColumnIdle(table, columnId, what);
  requireColumnUnread(catalog, table, column, what);
  const columns = table.columns.filter((other) => other.id !== columnId);
  const reclamation = { physicalId: column.physicalId, table: tableId };
  const after = withTable(catalog, { ...table, columns });
  return changed(after, { kind: 'reclaim_column', reclamation });
}

function requireFreeColumnName(table: Table, name: string): void {
  if (columnByName(table, name) === undefined) return;
  throw fail('invalid', `duplicate column "${name}": table "${table.name}" already has it`);
}

/** Returns the object of the table that needs the column; `undefined` if there is none. Keys of other tables can reference only the primary key. */
function userOf(table: Table, columnId: number): string | undefined {
  if (table.primaryKey.includes(columnId)) return 'the primary key';
  const index = table.indexes.find(({ columns }) => columns.includes(columnId));
  if (index !== undefined) return `the index "${index.name}"`;
  const key = table.foreignKeys.find(({ columns }) => columns.includes(columnId));
  return key && `the foreign key "${key.name}"`;
}
