/** Pairs of the corresponding objects of two schemas. Objects correspond by schema id, never by name. */

import { type Catalog, type Column, columnById, type Table, tableById } from '#catalog';

export interface TablePair {
  readonly before: Table;
  readonly after: Table;
  readonly columns: readonly ColumnPair[];
  readonly addedColumns: readonly Column[];
  readonly deletedColumns: readonly Column[];
}

export interface ColumnPair {
  readonly before: Column;
  readonly after: Column;
}

export interface SchemaPair {
  readonly current: Catalog;
  readonly desired: Catalog;
  readonly tables: readonly TablePair[];
  readonly addedTables: readonly Table[];
  readonly deletedTables: readonly Table[];
}

export function pairSchemas(current: Catalog, desired: Catalog): SchemaPair {
  const tables = desired.tables.flatMap((after) => {
    const before = tableById(current, after.id);
    return before === undefined ? [] : [pairTables(before, after)];
  });
  return {
    current,
    desired,
    tables,
    addedTables: desired.tables.filter(({ id }) => tableById(current, id) === undefined),
    deletedTables: current.tables.filter(({ id }) => tableById(desired, id) === undefined),
  };
}

function pairTables(before: Table, after: Table): TablePair {
  const columns = after.columns.flatMap((column) => {
    const former = columnById(before, column.id);
    return former === undefined ? [] : [{ before: former, after: column }];
  });
  return {
    before,
    after,
    columns,
    addedColumns: after.columns.filter(({ id }) => columnById(before, id) === undefined),
    deletedColumns: before.columns.filter(({ id }) => columnById(after, id) === undefined),
  };
}
