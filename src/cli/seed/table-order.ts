/** Tables in an order in which rows may come: those that are referred to before those that refer to them. */

import type { ForeignKey, Table } from '#catalog';

export interface Reference {
  /** The one that refers. */
  readonly table: Table;
  readonly key: ForeignKey;
}

interface TableOrder {
  readonly tables: readonly Table[];
  /** References within a circle whose columns are NULL at first, and set once all rows are there. */
  readonly deferred: readonly Reference[];
}

type Ordered =
  | ({ readonly kind: 'ordered' } & TableOrder)
  /** The names of tables that refer to each other and take no NULL there. */
  | { readonly kind: 'circle'; readonly names: readonly string[] };

/** Only references among `tables` count; those of a table to itself hold within one statement. */
export function parentsFirst(tables: readonly Table[]): Ordered {
  const deferred: Reference[] = [];
  const placed: Table[] = [];
  const open = new Set(tables);
  while (open.size > 0) {
    const waiting = (table: Table) => openReferences(table, open, deferred);
    const next = [...open].find((table) => waiting(table).length === 0);
    if (next !== undefined) {
      placed.push(next);
      open.delete(next);
      continue;
    }
    const circle = circleIn(open, waiting);
    const breakable = circle.find((reference) => nullableColumns(reference).length > 0);
    if (breakable === undefined) {
      return { kind: 'circle', names: circle.map(({ table }) => table.name) };
    }
    deferred.push(breakable);
  }
  return { kind: 'ordered', tables: placed, deferred };
}

/** Ids of those that may be NULL, which exempts the row from the key. */
export function nullableColumns({ table, key }: Reference): readonly number[] {
  return key.columns.filter((id) => table.columns.find((column) => column.id === id)?.nullable);
}

function openReferences(table: Table, open: ReadonlySet<Table>, deferred: readonly Reference[]) {
  const isOpen = (id: number) => [...open].some((other) => other.id === id);
  return table.foreignKeys
    .filter(({ refTable }) => refTable !== table.id && isOpen(refTable))
    .filter((key) => !deferred.some((it) => it.table === table && it.key === key))
    .map((key): Reference => ({ table, key }));
}

/** Each table of `open` waits for another one: whoever follows them comes back somewhere. */
function circleIn(
  open: ReadonlySet<Table>,
  waiting: (table: Table) => readonly Reference[],
): readonly Reference[] {
  const path: Reference[] = [];
  let [table] = open as ReadonlySet<Table | undefined>;
  while (table !== undefined) {
    const at = path.findIndex((reference) => reference.table === table);
    if (at >= 0) return path.slice(at);
    const [reference] = waiting(table);
    if (reference === undefined) break;
    path.push(reference);
    table = [...open].find(({ id }) => id === reference.key.refTable);
  }
  return path;
}
