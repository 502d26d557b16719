/**
 * Identifies the tables and columns of a statement by their storage IDs. A recreated table, or a column with replaced
 * values, has another ID.
 */

import type { Catalog } from '#catalog';

interface Ground {
  readonly physicalId: number;
  readonly columns: readonly { readonly physicalId: number }[];
}

export function groundOfTables(tables: Iterable<Ground>): string {
  return [...tables].map(groundOfTable).sort().join(';');
}

/** Returns a function that checks whether all tables of a ground exist unchanged in the catalog. */
export function groundCheckOf(catalog: Catalog): (ground: string) => boolean {
  let check = known.get(catalog);
  if (check === undefined) {
    const tables = new Set(catalog.tables.map(groundOfTable));
    check = (ground) => ground === '' || ground.split(';').every((table) => tables.has(table));
    known.set(catalog, check);
  }
  return check;
}

const known = new WeakMap<Catalog, (ground: string) => boolean>();

function groundOfTable({ physicalId, columns }: Ground): string {
  return `${physicalId} ${columns.map((it) => it.physicalId)}`;
}
