/** The view of a catalog: the tables whose names a principal can resolve. A table outside of the view looks like a table that does not exist. */

import { type Catalog, type ForeignKey, hasPolicy, type Table, tableByName } from '#catalog';
import { grantsSight } from './grant.ts';
import type { Visibility } from './visibility.ts';

export function visibleTable(
  catalog: Catalog,
  visibility: Visibility,
  name: string,
): Table | undefined {
  const table = tableByName(catalog, name);
  return table !== undefined && isVisible(catalog, table, visibility) ? table : undefined;
}

export function visibleTables(catalog: Catalog, visibility: Visibility): readonly Table[] {
  if (!isRestricted(catalog, visibility)) return catalog.tables;
  return catalog.tables.filter((table) => isVisible(catalog, table, visibility));
}

/** Returns whether principals of the class are restricted: to tables by grants, or to rows by policies. */
export function isRestricted(
  catalog: Pick<Catalog, 'policies'>,
  { grants, policies }: Visibility,
): boolean {
  return grants !== undefined || (policies === 'enforce' && catalog.policies !== undefined);
}

/** Returns whether the class sees that the table exists: its grants name the table, and policies that apply to the class have an entry for it. */
export function isVisible(
  catalog: Pick<Catalog, 'policies'>,
  { id }: Pick<Table, 'id'>,
  { grants, policies }: Visibility,
): boolean {
  if (policies === 'enforce' && catalog.policies !== undefined && !hasPolicy(catalog, id)) {
    return false;
  }
  return grantsSight(grants, id);
}

/** Returns the catalog with the visible tables only, without foreign keys to other tables. */
export function viewOf(catalog: Catalog, visibility: Visibility): Catalog {
  if (!isRestricted(catalog, visibility)) return catalog;
  const tables = visibleTables(catalog, visibility);
  const isShown = ({ refTable }: ForeignKey) => isVisible(catalog, { id: refTable }, visibility);
  return {
    ...catalog,
    tables: tables.map((table) => ({
      ...table,
      foreignKeys: table.foreignKeys.filter(isShown),
    })),
  };
}
