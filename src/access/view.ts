/** The view of a catalog: the tables whose names a principal can resolve. A table outside of the view looks like a table that does not exist. */

import { type Catalog, type ForeignKey, type Table, tableByName } from '#catalog';
import { grantsSight } from './grant.ts';
import type { Visibility } from './visibility.ts';

export function visibleTable(
  catalog: Catalog,
  visibility: Visibility,
  name: string,
): Table | undefined {
  const table = tableByName(catalog, name);
  return table !== undefined && isVisible(table, visibility) ? table : undefined;
}

export function visibleTables(catalog: Catalog, visibility: Visibility): readonly Table[] {
  if (visibility.grants === undefined) return catalog.tables;
  return catalog.tables.filter((table) => isVisible(table, visibility));
}

function isVisible({ id }: Pick<Table, 'id'>, { grants }: Visibility): boolean {
  return grantsSight(grants, id);
}

/** Returns the catalog with the visible tables only, without foreign keys to other tables. */
export function viewOf(catalog: Catalog, visibility: Visibility): Catalog {
  if (visibility.grants === undefined) return catalog;
  const tables = visibleTables(catalog, visibility);
  const isShown = ({ refTable }: ForeignKey) => isVisible({ id: refTable }, visibility);
  return {
    ...catalog,
    tables: tables.map((table) => ({
      ...table,
      foreignKeys: table.foreignKeys.filter(isShown),
    })),
  };
}
