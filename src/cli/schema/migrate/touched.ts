/**
 * What a migration takes from programs that run, although no value may be lost: tables and columns with rows in them that get another name or
 * go, those that go without this copy of the project ever having had them, unique indexes and foreign keys that go, and foreign keys that refuse no deletion any more. A table name that goes to a table of another id counts without rows as well: two databases may
 * have given one id to different tables, and then nobody meant it.
 */

import type { Catalog, Column, Table } from '#catalog';
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
  'loosen_foreign_key',
  'reuse_table_name',
] as const;
export type TouchedKind = (typeof touchedKinds)[number];

/** About rules of a table, with rows in it or without. */
const ruleKinds: readonly TouchedKind[] = [
  'delete_index',
  'delete_foreign_key',
  'loosen_foreign_key',
];

export type Touched = TouchedName | ReusedName;

interface TouchedName {
  readonly kind: Exclude<TouchedKind, 'reuse_table_name'>;
  /** `users`, `users.email`, or the name of an index or a key: as the database calls them now. */
  readonly name: string;
  /** The new name of what is renamed, without its table; of a foreign key, what a deletion does from now on. */
  readonly to: string | undefined;
  /** By its current name. */
  readonly table: string;
  /** The schema file of this copy of the project had it once. False: somebody else's work goes. */
  readonly wasHeld: boolean;
}

interface ReusedName {
  readonly kind: 'reuse_table_name';
  readonly name: string;
  readonly clash: IdClash;
}

interface Sides {
  readonly current: Catalog;
  readonly desired: Catalog;
  /** What the schema file of this copy has had. Undefined where the whole schema is adopted: that is an answer to the question whose work it is. */
  readonly held: readonly Catalog[] | undefined;
}

/** Tables and columns of this project's own making only where the table has rows, asked of the database. */
export async function touchedRows(
  api: SchemaApi,
  { current, desired, held }: Sides,
): Promise<readonly Touched[]> {
  const holdsRows = new Map<string, boolean>();
  const found: Touched[] = idClashes(current, desired).map((clash) => ({
    kind: 'reuse_table_name',
    name: clash.name,
    clash,
  }));
  for (const touched of touchedNames(current, desired, held)) {
    const { table, kind, wasHeld } = touched;
    const asksAnyway = ruleKinds.includes(kind) || !wasHeld;
    if (!asksAnyway && !holdsRows.has(table)) holdsRows.set(table, await api.holdsRows(table));
    if (asksAnyway || holdsRows.get(table)) found.push(touched);
  }
  return found;
}

function touchedNames(
  current: Catalog,
  desired: Catalog,
  held: Sides['held'],
): readonly TouchedName[] {
  return current.tables.flatMap((before): readonly TouchedName[] => {
    const after = tableById(desired, before.id);
    const { name: table } = before;
    const touched = { name: table, table, wasHeld: true };
    if (after === undefined) {
      const wasHeld = held?.some((it) => tableById(it, before.id)?.name === table) ?? true;
      return [{ ...touched, kind: 'delete_table', to: undefined, wasHeld }];
    }
    const renamed: TouchedName[] =
      after.name === table ? [] : [{ ...touched, kind: 'rename_table', to: after.name }];
    return [...renamed, ...touchedColumns(before, after, held), ...droppedRules(before, after)];
  });
}

function touchedColumns(before: Table, after: Table, held: Sides['held']): readonly TouchedName[] {
  const { name: table } = before;
  return before.columns.flatMap(({ id, name }): TouchedName[] => {
    const touched = { name: `${table}.${name}`, table, wasHeld: true };
    const column = columnById(after, id);
    if (column === undefined) {
      const wasHeld = held?.some((it) => hasColumn(it, before, { id, name })) ?? true;
      return [{ ...touched, kind: 'delete_column', to: undefined, wasHeld }];
    }
    if (column.name === name) return [];
    return [{ ...touched, kind: 'rename_column', to: column.name }];
  });
}

function hasColumn(catalog: Catalog, { id }: Table, column: Pick<Column, 'id' | 'name'>): boolean {
  const table = tableById(catalog, id);
  return table !== undefined && columnById(table, column.id)?.name === column.name;
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
  const loosened = before.foreignKeys.flatMap((key) => {
    const now = after.foreignKeys.find(
      (it) => it.refTable === key.refTable && isSame(it.columns, key.columns),
    );
    return now !== undefined && key.onDelete === 'restrict' && now.onDelete !== 'restrict'
      ? [{ name: key.name, to: now.onDelete }]
      : [];
  });
  return [
    ...loosened.map(
      ({ name, to }): TouchedName => ({
        kind: 'loosen_foreign_key',
        name,
        to,
        table,
        wasHeld: true,
      }),
    ),
    ...indexes.map(
      ({ name }): TouchedName => ({
        kind: 'delete_index',
        name,
        to: undefined,
        table,
        wasHeld: true,
      }),
    ),
    ...keys.map(
      ({ name }): TouchedName => ({
        kind: 'delete_foreign_key',
        name,
        to: undefined,
        table,
        wasHeld: true,
      }),
    ),
  ];
}
