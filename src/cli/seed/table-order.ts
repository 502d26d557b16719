/** Orders tables so that referenced tables precede the tables that reference them. */

import type { ForeignKey, Table } from '#catalog';

export interface Reference {
  /** The referencing table. */
  readonly table: Table;
  readonly key: ForeignKey;
}

interface TableOrder {
  readonly tables: readonly Table[];
  /** References within a circle. Their columns are NULL at first and set after all rows exist. */
  readonly deferred: readonly Reference[];
}

type Ordered =
  | ({ readonly kind: 'ordered' } & TableOrder)
  /** The names of tables that reference each other by columns that do not accept NULL. */
  | { readonly kind: 'circle'; readonly names: readonly string[] };

/** Returns the order. Only references among `tables` count. References of a table to itself hold within one statement. */
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

/** Returns the ids of the columns of the key that accept NULL. One NULL exempts the row from the key. */
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

/** Returns a circle of references. Each table of `open` waits for another one, so a path of references eventually repeats a table. */
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
