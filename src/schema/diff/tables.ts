/** Steps for created and deleted tables, in an order that their foreign keys allow. */

import type { ForeignKey, Table } from '#catalog';
import { foreignKeyDefinition, tableDefinition } from './definitions.ts';
import type { SchemaPair } from './pairs.ts';
import { inTable, type Step, step } from './step.ts';

/** Returns the creations, referenced tables first. Foreign keys of a cycle are created after all of its tables. */
export function createTableSteps({ desired, addedTables }: SchemaPair): readonly Step[] {
  const missing = new Set(addedTables.map(({ id }) => id));
  const tied: Step[] = [];
  const creations = byReferences(addedTables).map((table) => {
    missing.delete(table.id);
    const isLater = ({ refTable }: ForeignKey) => missing.has(refTable);
    for (const key of table.foreignKeys.filter(isLater)) {
      const foreign_key = foreignKeyDefinition(desired, table, key);
      tied.push(
        step(undefined, inTable(table.name), {
          kind: 'create_foreign_key',
          table_id: table.id,
          foreign_key,
        }),
      );
    }
    const foreignKeys = table.foreignKeys.filter((key) => !isLater(key));
    const definition = tableDefinition(desired, { ...table, foreignKeys });
    const summary = `create table ${table.name}`;
    return step(summary, inTable(table.name), { kind: 'create_table', table: definition });
  });
  return [...creations, ...tied];
}

/** Returns the deletions, referencing tables first. Foreign keys of a cycle are deleted before its tables. */
export function deleteTableSteps({ deletedTables }: SchemaPair): readonly Step[] {
  const order = [...byReferences(deletedTables)].reverse();
  const places = new Map(order.map(({ id }, place) => [id, place]));
  const untied = order.flatMap((table, place) =>
    table.foreignKeys
      .filter(({ refTable }) => (places.get(refTable) ?? place) < place)
      .map(({ name: foreign_key }) =>
        step(undefined, inTable(table.name), {
          kind: 'delete_foreign_key',
          table_id: table.id,
          foreign_key,
        }),
      ),
  );
  const deletions = order.map((table) => {
    const summary = `delete table ${table.name}`;
    return step(summary, inTable(table.name), { kind: 'delete_table', table_id: table.id });
  });
  return [...untied, ...deletions];
}

/** Sorts each table after the tables that it references, otherwise by name. In a cycle, the first table by name comes first. */
function byReferences(tables: readonly Table[]): readonly Table[] {
  const waiting = new Map([...tables].sort(byName).map((table) => [table.id, table]));
  const sorted: Table[] = [];
  while (waiting.size > 0) {
    const [first] = waiting.values();
    const next = firstWithout(waiting) ?? (first as Table);
    waiting.delete(next.id);
    sorted.push(next);
  }
  return sorted;
}

/** Returns the first table that references none of the others. */
function firstWithout(waiting: ReadonlyMap<number, Table>): Table | undefined {
  for (const table of waiting.values()) {
    const isFree = table.foreignKeys.every(
      ({ refTable }) => refTable === table.id || !waiting.has(refTable),
    );
    if (isFree) return table;
  }
  return undefined;
}

function byName(left: Table, right: Table): number {
  return left.name < right.name ? -1 : 1;
}
