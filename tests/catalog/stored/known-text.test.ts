/** A change of the catalog is about a few tables: what the others say is not written anew for its record and its hash. */

import { expect, test } from 'bun:test';
import { canonicalSchema, decodeCatalog, encodeCatalog, type Table } from '#catalog';
import { catalogOf, posts, users } from '../support.ts';

/** Counts how often its columns are looked at. */
function watched(table: Table): { readonly table: Table; readonly reads: () => number } {
  let reads = 0;
  const { columns } = table;
  const copy = Object.defineProperty({ ...table }, 'columns', {
    enumerable: true,
    get: () => {
      reads++;
      return columns;
    },
  });
  return { table: copy as Table, reads: () => reads };
}

const catalog = catalogOf(users, posts);
const [first, ...others] = catalog.tables as [Table, ...Table[]];

test.each([
  ['the record', encodeCatalog],
  ['the canonical schema', canonicalSchema],
])('%s looks at a table once, in whichever catalogs the table stands', (_name, write) => {
  const { table, reads } = watched(first);
  const of = (version: number) => ({ ...catalog, version, tables: [table] });
  write(of(1));
  const before = reads();
  expect(before).toBeGreaterThan(0);
  write(of(2));
  expect(reads()).toBe(before);
});

test('the record of a catalog with known tables is that of the same catalog read anew', () => {
  const renamed = { ...first, name: 'renamed' };
  encodeCatalog(catalog);
  const after = { ...catalog, version: 7, tables: [renamed, ...others] };
  const anew = decodeCatalog(encodeCatalog(after));
  expect(anew.tables.map(({ name }) => name)).toEqual(after.tables.map(({ name }) => name));
  expect(encodeCatalog(anew)).toEqual(encodeCatalog(after));
  expect(canonicalSchema(anew)).toBe(canonicalSchema(after));
});

test('a foreign key shows the name that its table has now', () => {
  canonicalSchema(catalog);
  const tables = catalog.tables.map((table) =>
    table.name === 'users' ? { ...table, name: 'people' } : table,
  );
  expect(canonicalSchema({ ...catalog, tables })).toContain('"ref_table":"people"');
});
