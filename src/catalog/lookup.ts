/** Finding objects in the catalog. The maps are kept by the immutable lists that they were made of. */

import { invariant } from '#base';
import type { Catalog, Table } from './table.ts';
import type { Column, ForeignKey, Index } from './table-parts.ts';

/** A database before its first catalog change. */
export const emptyCatalog: Catalog = {
  version: 0,
  versionAtMs: undefined,
  tables: [],
  tableIdMax: 0,
  tableIdGaps: [],
  physicalIdMax: 0,
};

export function tableById(catalog: Catalog, id: number): Table | undefined {
  return tablesById(catalog.tables).get(id);
}

export function tableByName(catalog: Catalog, name: string): Table | undefined {
  return tablesByName(catalog.tables).get(name);
}

export function columnById(table: Table, id: number): Column | undefined {
  return table.columns[positionById(table.columns, id)];
}

export function columnByName(table: Table, name: string): Column | undefined {
  return columnsByName(table.columns).get(name);
}

/** The position in catalog order of a column that exists. */
export function columnOrdinal(table: Table, id: number): number {
  const ordinal = positionById(table.columns, id);
  invariant(ordinal >= 0, 'the column belongs to the table');
  return ordinal;
}

/** The columns of `ids`, all of which exist. */
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

function positionById(columns: readonly Column[], id: number): number {
  return columnPositions(columns).get(id) ?? -1;
}

const tablesById = mapOnce((tables: readonly Table[]) =>
  tables.map((table) => [table.id, table] as const),
);
const tablesByName = mapOnce((tables: readonly Table[]) =>
  tables.map((table) => [table.name, table] as const),
);
const columnsByName = mapOnce((columns: readonly Column[]) =>
  columns.map((column) => [column.name, column] as const),
);
const columnPositions = mapOnce((columns: readonly Column[]) =>
  columns.map((column, ordinal) => [column.id, ordinal] as const),
);

/** A map made of a list when it is first asked for. */
function mapOnce<List extends object, Key, Value>(
  entriesOf: (list: List) => readonly (readonly [Key, Value])[],
): (list: List) => ReadonlyMap<Key, Value> {
  const known = new WeakMap<List, ReadonlyMap<Key, Value>>();
  return (list) => {
    let map = known.get(list);
    if (map === undefined) {
      map = new Map(entriesOf(list));
      known.set(list, map);
    }
    return map;
  };
}
