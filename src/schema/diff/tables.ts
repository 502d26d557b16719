/** Tables that come and go, in an order that their foreign keys allow. */

import type { Table } from '#catalog';
import { tableDefinition } from './definitions.ts';
import type { SchemaPair } from './pairs.ts';
import { type Step, step } from './step.ts';

/** Referenced tables first; undefined when new tables reference each other in a circle. */
export function createTableSteps({
  desired,
  addedTables,
}: SchemaPair): readonly Step[] | undefined {
  const sorted = byReferences(addedTables);
  return sorted?.map((table) => {
    const summary = `create table ${table.name}`;
    const change = { kind: 'create_table', summary, table: table.name } as const;
    return step(change, { kind: 'create_table', table: tableDefinition(desired, table) });
  });
}

/** Referencing tables first. Tables that reference each other in a circle lose those keys before. */
export function deleteTableSteps({ deletedTables }: SchemaPair): readonly Step[] {
  const sorted = byReferences(deletedTables);
  const order = sorted === undefined ? [...deletedTables].sort(byName) : [...sorted].reverse();
  const going = new Set(deletedTables.map(({ id }) => id));
  const untied =
    sorted !== undefined
      ? []
      : order.flatMap((table) =>
          table.foreignKeys
            .filter(({ refTable }) => refTable !== table.id && going.has(refTable))
            .map(({ name: foreign_key }) =>
              step(undefined, { kind: 'delete_foreign_key', table_id: table.id, foreign_key }),
            ),
        );
  const deletions = order.map((table) => {
    const summary = `delete table ${table.name}`;
    const change = { kind: 'delete_table', summary, table: table.name } as const;
    return step(change, { kind: 'delete_table', table_id: table.id });
  });
  return [...untied, ...deletions];
}

/** Each table after those that it references, ties by name; undefined for a circle. */
function byReferences(tables: readonly Table[]): readonly Table[] | undefined {
  const waiting = new Map([...tables].sort(byName).map((table) => [table.id, table]));
  const sorted: Table[] = [];
  while (waiting.size > 0) {
    const next = firstWithout(waiting);
    if (next === undefined) return undefined;
    waiting.delete(next.id);
    sorted.push(next);
  }
  return sorted;
}

/** The first that references none of the others. */
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
