/** Assigns new ids if both sides have added an object with the same id. Objects of the database keep their ids; those of the file get the next free ids. */

import type { Catalog, Column, ForeignKey, Table } from '#catalog';
import { columnById, tableById } from '#catalog';

/** New ids by id in the schema file, for the ids that change. */
export interface Renumbering {
  readonly tables: ReadonlyMap<number, number>;
  /** New column ids by the table id in the file. */
  readonly columns: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

interface Renumbered {
  readonly ours: Catalog;
  readonly renumbering: Renumbering;
}

export function renumbered(base: Catalog, ours: Catalog, theirs: Catalog): Renumbered {
  const tables = freshIds(
    ours.tables.filter((table) => isCollision(base, table, theirs)).map(({ id }) => id),
    [base, ours, theirs].flatMap((catalog) => catalog.tables.map(({ id }) => id)),
  );
  const columns = new Map<number, ReadonlyMap<number, number>>();
  for (const table of ours.tables) {
    if (tables.has(table.id)) continue;
    const found = columnIds(tableById(base, table.id), table, tableById(theirs, table.id));
    if (found.size > 0) columns.set(table.id, found);
  }
  const renumbering = { tables, columns };
  return { ours: withIds(ours, renumbering), renumbering };
}

/** Returns whether two tables with one id are different tables: the base does not contain the id, and the names differ. */
function isCollision(base: Catalog, { id, name }: Table, theirs: Catalog): boolean {
  const other = tableById(theirs, id);
  return other !== undefined && tableById(base, id) === undefined && other.name !== name;
}

function columnIds(base: Table | undefined, ours: Table, theirs: Table | undefined) {
  const collisions = ours.columns.filter(({ id, name }) => {
    const other = theirs && columnById(theirs, id);
    const isNew = base === undefined || columnById(base, id) === undefined;
    return isNew && other !== undefined && other.name !== name;
  });
  const taken = [base, ours, theirs].flatMap((table) => (table?.columns ?? []).map(({ id }) => id));
  return freshIds(
    collisions.map(({ id }) => id),
    taken,
  );
}

function freshIds(ids: readonly number[], taken: readonly number[]): ReadonlyMap<number, number> {
  const highest = taken.reduce((most, id) => Math.max(most, id), 0);
  return new Map(ids.map((id, i) => [id, highest + 1 + i]));
}

/** Returns the catalog of a file with the new ids of its objects. */
export function withIds(catalog: Catalog, renumbering: Renumbering): Catalog {
  return {
    ...catalog,
    tables: catalog.tables.map((table) => tableWithIds(table, renumbering)),
  };
}

function tableWithIds(table: Table, { tables, columns }: Renumbering): Table {
  const own = columns.get(table.id);
  const column = (id: number) => own?.get(id) ?? id;
  return {
    ...table,
    id: tables.get(table.id) ?? table.id,
    columns: table.columns.map((it): Column => ({ ...it, id: column(it.id) })),
    primaryKey: table.primaryKey.map(column),
    indexes: table.indexes.map((index) => ({ ...index, columns: index.columns.map(column) })),
    foreignKeys: table.foreignKeys.map(
      (key): ForeignKey => ({
        ...key,
        columns: key.columns.map(column),
        refTable: tables.get(key.refTable) ?? key.refTable,
        refColumns: key.refColumns.map((id) => columns.get(key.refTable)?.get(id) ?? id),
      }),
    ),
  };
}
