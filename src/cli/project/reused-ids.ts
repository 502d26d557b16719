/** Finds ids of the schema file that belonged to other objects before, according to the accepted schemas. A database never assigns an id twice. */

import { type Catalog, columnById, type Table, tableById } from '#catalog';
import type { AcceptedSchemas } from './accepted.ts';
import type { TableOrigins } from './table-origins.ts';

/** Maximum number of accepted schemas that are searched, newest first. */
const lookedAtMax = 64;

/** Returns a warning for each table whose id the accepted schemas also give to a table of different origin. */
export function sharedIds(
  file: Catalog,
  accepted: AcceptedSchemas,
  origins: TableOrigins,
): readonly string[] {
  const all = [...accepted.all().map(({ catalog }) => catalog), file];
  return file.tables.flatMap(({ id, name }) => {
    const groups = origins.of(id);
    const others = groups.filter((group) => !group.has(name)).flatMap((group) => [...group]);
    if (groups.length < 2 || others.length === 0) return [];
    const free = nextFree(all.flatMap(({ tables }) => tables));
    return [
      `table ${name} has id ${id}, which accepted schemas also give to another table (${others.join(', ')}); in a database with that table, a migration would change it into ${name}; the next free id is ${free}; see "Resolve table ID conflicts" in \`svc docs projects\``,
    ];
  });
}

/** Returns a warning, with the next free id, for each table and column whose id the newest accepted schema no longer has. */
export function reusedIds(file: Catalog, accepted: AcceptedSchemas): readonly string[] {
  const [newest, ...earlier] = accepted.newestFirst(lookedAtMax).map(({ catalog }) => catalog);
  if (newest === undefined) return [];
  const all = [newest, ...earlier, file];
  let free = nextFree(all.flatMap(({ tables }) => tables));
  return file.tables.flatMap((table) => {
    const now = tableById(newest, table.id);
    const former = now ?? formerOf(earlier, (it) => tableById(it, table.id));
    if (former === undefined) return [];
    if (now === undefined) {
      return [reused('table', table, former.name, free++)];
    }
    return reusedColumns(table, now, earlier);
  });
}

function reusedColumns(table: Table, now: Table, earlier: readonly Catalog[]): readonly string[] {
  const tables = earlier.flatMap((it) => tableById(it, table.id) ?? []);
  let free = nextFree([table, now, ...tables].flatMap(({ columns }) => columns));
  return table.columns.flatMap((column) => {
    if (columnById(now, column.id) !== undefined) return [];
    const former = formerOf(tables, (it) => columnById(it, column.id));
    if (former === undefined) return [];
    const named = { id: column.id, name: `${table.name}.${column.name}` };
    return [reused('column', named, `${table.name}.${former.name}`, free++)];
  });
}

/** Returns the object from the newest schema that has one. */
function formerOf<From, Found>(
  all: readonly From[],
  find: (it: From) => Found | undefined,
): Found | undefined {
  return all.map(find).find((found) => found !== undefined);
}

function nextFree(all: readonly { readonly id: number }[]): number {
  return Math.max(...all.map(({ id }) => id)) + 1;
}

function reused(
  what: 'table' | 'column',
  { id, name }: { readonly id: number; readonly name: string },
  former: string,
  free: number,
): string {
  return `${what} ${name} has id ${id}, which was that of ${former}: a database that deleted it does not assign the id again; the next free id is ${free}`;
}
