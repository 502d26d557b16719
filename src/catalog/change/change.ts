/** The result of a catalog change, and small operations that all changes share. */

import { fail } from '#failure';
import type { CatalogEffect } from '../effect.ts';
import { columnById, tableById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column } from '../table-parts.ts';

/** The changed catalog and its effects; `undefined` if nothing changes. */
export type Changed =
  | { readonly catalog: Catalog; readonly effects: readonly CatalogEffect[] }
  | undefined;

export function changed(catalog: Catalog, ...effects: readonly CatalogEffect[]): Changed {
  return { catalog, effects };
}

export function requireTable(catalog: Catalog, id: number): Table {
  const table = tableById(catalog, id);
  if (table === undefined) throw fail('invalid', `unknown table: no table has id ${id}`);
  return table;
}

export function requireColumn(table: Table, id: number): Column {
  const column = columnById(table, id);
  if (column !== undefined) return column;
  throw fail('invalid', `unknown column: table "${table.name}" has no column with id ${id}`);
}

/** Returns the catalog with `table` in place of the previous record of that table. */
export function withTable(catalog: Catalog, table: Table): Catalog {
  const tables = catalog.tables.map((other) => (other.id === table.id ? table : other));
  return { ...catalog, tables };
}

export function withColumn(table: Table, column: Column): Table {
  const columns = table.columns.map((other) => (other.id === column.id ? column : other));
  return { ...table, columns };
}

/** An allocator of physical ids. The caller stores `max` in the changed catalog. */
export class PhysicalIds {
  max: number;

  constructor(catalog: Catalog) {
    this.max = catalog.physicalIdMax;
  }

  next(): number {
    if (this.max === physicalIdMax)
      throw fail('invalid', 'the physical ids of this database are used up');
    this.max++;
    return this.max;
  }
}

/** Maximum physical id, because keys store a physical id in four bytes. */
const physicalIdMax = 0xffff_ffff;
