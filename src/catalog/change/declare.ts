/** Builds the catalog of a whole schema from a list of definitions in any order. */

import { neverYield, runWithoutWaiting, type Steps, type YieldPolicy } from '#base';
import { fail } from '#failure';
import type { TableDefinition } from '../definition.ts';
import { requireFew } from '../limits.ts';
import { emptyCatalog, tableByName } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { ForeignKey } from '../table-parts.ts';
import { PhysicalIds } from './change.ts';
import { bareTable, withIndexes, withPrimaryKey } from './create-table.ts';
import { requireSchemaId } from './id-space.ts';
import { foreignKeyRecord } from './member-record.ts';
import { requireName, sortedByName } from './name.ts';

/** A definition with explicit ids for the table and its columns, as in a schema file. */
export type DeclaredTable = TableDefinition & { readonly id: number };

/**
 * Returns a catalog with exactly these tables, for comparing and rendering. Its physical ids do not refer to stored data. Throws for the first broken rule,
 * as `applyChange` does.
 */
export function declareCatalog(definitions: readonly DeclaredTable[]): Catalog {
  return runWithoutWaiting(declareCatalogSteps(definitions, neverYield));
}

/** Works like `declareCatalog`, and yields as `pace` demands. */
export function* declareCatalogSteps(
  definitions: readonly DeclaredTable[],
  pace: YieldPolicy,
): Steps<Catalog> {
  const ids = new PhysicalIds(emptyCatalog);
  requireFew('a database', definitions.length, 'tables');
  requireDistinctTables(definitions);
  const tables: Table[] = [];
  for (const definition of definitions) {
    const wait = pace.pause(16 * definition.columns.length);
    if (wait !== undefined) yield wait;
    const bare = bareTable(definition, definition.id, ids);
    tables.push(withIndexes(withPrimaryKey(bare, definition), definition, ids));
  }
  const keyless = { ...emptyCatalog, tables };
  const whole = tables.map((table, i) =>
    withForeignKeys(keyless, table, definitions[i] as DeclaredTable, ids),
  );
  return {
    ...emptyCatalog,
    tables: whole.sort((left, right) => left.id - right.id),
    tableIdMax: Math.max(0, ...whole.map(({ id }) => id)),
    physicalIdMax: ids.max,
  };
}

function requireDistinctTables(definitions: readonly DeclaredTable[]): void {
  const seen = new Set<number | string>();
  for (const { id, name } of definitions) {
    requireSchemaId(id, 'table');
    requireName(name, 'table');
    if (seen.has(id)) throw fail('invalid', `two tables share ID ${id}`);
    if (seen.has(name)) throw fail('invalid', `table "${name}" already exists`);
    seen.add(id);
    seen.add(name);
  }
}

function withForeignKeys(
  catalog: Catalog,
  table: Table,
  definition: TableDefinition,
  ids: PhysicalIds,
): Table {
  const foreignKeys: ForeignKey[] = [];
  for (const key of definition.foreign_keys ?? []) {
    const target = tableByName(catalog, key.ref_table);
    const next = () => ids.next();
    foreignKeys.push(foreignKeyRecord({ ...table, foreignKeys }, target, key, next));
  }
  return { ...table, foreignKeys: sortedByName(foreignKeys) };
}
