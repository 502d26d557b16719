/** What a statement rests on: tables and their columns, by what they are on disk. A table that was made again, or a column whose values were replaced, is another one. */

import type { Catalog } from '#catalog';

interface Ground {
  readonly physicalId: number;
  readonly columns: readonly { readonly physicalId: number }[];
}

export function groundOfTables(tables: Iterable<Ground>): string {
  return [...tables].map(groundOfTable).sort().join(';');
}

/** Whether all tables of a ground are in the catalog as they were. */
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
