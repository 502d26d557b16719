/** Lookup of objects in the catalog. Lookup maps are cached per list, because lists are immutable. */

import { invariant } from '#base';
import type { Catalog, Table } from './table.ts';
import type { Column, ForeignKey, Index } from './table-parts.ts';

/** The catalog of a database before its first catalog change. */
export const emptyCatalog: Catalog = {
  version: 0,
  versionAtMs: undefined,
  tables: [],
  tableIdMax: 0,
  tableIdGaps: [],
  physicalIdMax: 0,
};

export function tableById(catalog: Catalog, id: number): Table | undefined {
  return catalog.tables[positionById(catalog.tables, id)];
}

export function tableByName(catalog: Catalog, name: string): Table | undefined {
  return catalog.tables[positionByName(catalog.tables, name)];
}

export function columnById(table: Table, id: number): Column | undefined {
  return table.columns[positionById(table.columns, id)];
}

export function columnByName(table: Table, name: string): Column | undefined {
  return table.columns[positionByName(table.columns, name)];
}

/** Returns the position of a column in catalog order. The column must exist. */
export function columnOrdinal(table: Table, id: number): number {
  const ordinal = positionById(table.columns, id);
  invariant(ordinal >= 0, 'the column belongs to the table');
  return ordinal;
}

/** Returns the columns of `ids`, all of which must exist. */
export function columnsOf(table: Table, ids: readonly number[]): readonly Column[] {
  return ids.map((id) => table.columns[columnOrdinal(table, id)] as Column);
}

export function columnNames(table: Table, ids: readonly number[]): readonly string[] {
  return columnsOf(table, ids).map((column) => column.name);
}

export function indexByName(table: Table, name: string): Index | undefined {
  return table.indexes.find((index) => index.name === name);
}

export function foreignKeyByName(table: Table, name: string): ForeignKey | undefined {
  return table.foreignKeys.find((key) => key.name === name);
}

const scansMax = 4;

/** Returns the position of the item with this key in a list, or -1. */
type Find<Key> = <Item extends { readonly id: number; readonly name: string }>(
  list: readonly Item[],
  key: Key,
) => number;

const positionById: Find<number> = finder(({ id }) => id);
const positionByName: Find<string> = finder(({ name }) => name);

/**
 * Returns a lookup function that scans a list during its first lookups, and then builds a map of it. Each catalog change creates a new list. Building a map
 * of all tables for each of a thousand renames would create a million entries.
 */
function finder<Key>(
  keyOf: (item: { readonly id: number; readonly name: string }) => Key,
): Find<Key> {
  const scans = new WeakMap<object, number>();
  const maps = new WeakMap<object, ReadonlyMap<Key, number>>();
  return (list, key) => {
    const map = maps.get(list);
    if (map !== undefined) return map.get(key) ?? -1;
    const scanned = scans.get(list) ?? 0;
    if (scanned === scansMax) maps.set(list, new Map(list.map((item, at) => [keyOf(item), at])));
    else scans.set(list, scanned + 1);
    return list.findIndex((item) => keyOf(item) === key);
  };
}
