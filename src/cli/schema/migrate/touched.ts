/** Which tables and columns with rows in them a migration deletes or renames: what uses the old name fails from then on. */

import type { Catalog, Table } from '#catalog';
import { columnById, tableById } from '#catalog';
import type { SchemaApi } from '#client';

export interface Touched {
  readonly kind: 'delete' | 'rename';
  /** `users` or `users.email`, as the database calls them now. */
  readonly name: string;
  /** The new name of what is renamed, without its table. */
  readonly to: string | undefined;
  /** The table that holds the rows, by its current name. */
  readonly table: string;
}

/** Those whose table has rows, asked of the database. */
export async function touchedRows(
  api: SchemaApi,
  current: Catalog,
  desired: Catalog,
): Promise<readonly Touched[]> {
  const holdsRows = new Map<string, boolean>();
  const found: Touched[] = [];
  for (const touched of touchedNames(current, desired)) {
    const { table } = touched;
    if (!holdsRows.has(table)) holdsRows.set(table, await api.holdsRows(table));
    if (holdsRows.get(table)) found.push(touched);
  }
  return found;
}

/** Deleted and renamed tables and columns that both schemas know by id. */
export function touchedNames(current: Catalog, desired: Catalog): readonly Touched[] {
  return current.tables.flatMap((before) => {
    const after = tableById(desired, before.id);
    const { name: table } = before;
    if (after === undefined) return [{ kind: 'delete', name: table, to: undefined, table }];
    const renamed = after.name === table ? [] : [renameOf(table, after.name, table)];
    return [...renamed, ...touchedColumns(before, after)];
  });
}

function touchedColumns(before: Table, after: Table): readonly Touched[] {
  const { name: table } = before;
  return before.columns.flatMap(({ id, name }) => {
    const full = `${table}.${name}`;
    const column = columnById(after, id);
    if (column === undefined) return [{ kind: 'delete', name: full, to: undefined, table }];
    return column.name === name ? [] : [renameOf(full, column.name, table)];
  });
}

function renameOf(name: string, to: string, table: string): Touched {
  return { kind: 'rename', name, to, table };
}
