/**
 * What a migration takes from programs that run, although no value may be lost: tables and columns with rows in them that get another name or
 * go, unique indexes and foreign keys that go. A table name that goes to a table of another id counts without rows as well: two databases may
 * have given one id to different tables, and then nobody meant it.
 */

import type { Catalog, Table } from '#catalog';
import { columnById, tableById } from '#catalog';
import type { SchemaApi } from '#client';
import { type IdClash, idClashes } from '../../project/id-clash.ts';

export const touchedKinds = [
  'rename_table',
  'rename_column',
  'delete_table',
  'delete_column',
  'delete_index',
  'delete_foreign_key',
  'reuse_table_name',
] as const;
export type TouchedKind = (typeof touchedKinds)[number];

export type Touched = TouchedName | ReusedName;

interface TouchedName {
  readonly kind: Exclude<TouchedKind, 'reuse_table_name'>;
  /** `users`, `users.email`, or the name of an index or a key: as the database calls them now. */
  readonly name: string;
  /** The new name of what is renamed, without its table. */
  readonly to: string | undefined;
  /** By its current name. */
  readonly table: string;
}

interface ReusedName {
  readonly kind: 'reuse_table_name';
  readonly name: string;
  readonly clash: IdClash;
}

/** Tables and columns only where the table has rows, asked of the database. */
export async function touchedRows(
  api: SchemaApi,
  current: Catalog,
  desired: Catalog,
): Promise<readonly Touched[]> {
  const holdsRows = new Map<string, boolean>();
  const found: Touched[] = idClashes(current, desired).map((clash) => ({
    kind: 'reuse_table_name',
    name: clash.name,
    clash,
  }));
  for (const touched of touchedNames(current, desired)) {
    const { table, kind } = touched;
    const isRule = kind === 'delete_index' || kind === 'delete_foreign_key';
    if (!isRule && !holdsRows.has(table)) holdsRows.set(table, await api.holdsRows(table));
    if (isRule || holdsRows.get(table)) found.push(touched);
  }
  return found;
}

function touchedNames(current: Catalog, desired: Catalog): readonly TouchedName[] {
  return current.tables.flatMap((before) => {
    const after = tableById(desired, before.id);
    const { name: table } = before;
    if (after === undefined) return [{ kind: 'delete_table', name: table, to: undefined, table }];
    const renamed: TouchedName[] =
      after.name === table ? [] : [{ kind: 'rename_table', name: table, to: after.name, table }];
    return [...renamed, ...touchedColumns(before, after), ...droppedRules(before, after)];
  });
}

function touchedColumns(before: Table, after: Table): readonly TouchedName[] {
  const { name: table } = before;
  return before.columns.flatMap(({ id, name }): TouchedName[] => {
    const full = `${table}.${name}`;
    const column = columnById(after, id);
    if (column === undefined) return [{ kind: 'delete_column', name: full, to: undefined, table }];
    if (column.name === name) return [];
    return [{ kind: 'rename_column', name: full, to: column.name, table }];
  });
}

/** Rules that the rows keep no more. What goes with a deleted column is told by that. */
function droppedRules(before: Table, after: Table): readonly TouchedName[] {
  const { name: table } = before;
  const stays = (ids: readonly number[]) => ids.every((id) => columnById(after, id) !== undefined);
  const isSame = (left: readonly number[], right: readonly number[]) =>
    left.length === right.length && left.every((id, i) => id === right[i]);
  const indexes = before.indexes.filter(
    ({ unique, columns }) =>
      unique &&
      stays(columns) &&
      !after.indexes.some((it) => it.unique && isSame(it.columns, columns)),
  );
  const keys = before.foreignKeys.filter(
    ({ columns, refTable }) =>
      stays(columns) &&
      !after.foreignKeys.some((it) => it.refTable === refTable && isSame(it.columns, columns)),
  );
  return [
    ...indexes.map(
      ({ name }): TouchedName => ({ kind: 'delete_index', name, to: undefined, table }),
    ),
    ...keys.map(
      ({ name }): TouchedName => ({ kind: 'delete_foreign_key', name, to: undefined, table }),
    ),
  ];
}
