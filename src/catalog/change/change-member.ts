/** Changes of indexes and foreign keys. */

import { fail } from '#failure';
import type { ForeignKeyDefinition, IndexDefinition } from '../definition.ts';
import { foreignKeyByName, indexByName, tableByName } from '../lookup.ts';
import type { Catalog } from '../table.ts';
import { requireNoNotNull, requireNoReplacement } from '../transition/admission.ts';
import { transitionIdText } from '../transition/record.ts';
import { type Changed, changed, PhysicalIds, requireTable, withTable } from './change.ts';
import { dropRange } from './change-table.ts';
import { foreignKeyRecord, indexRecord } from './member-record.ts';
import { sortedByName } from './name.ts';

export function createIndex(
  catalog: Catalog,
  tableId: number,
  definition: IndexDefinition,
): Changed {
  const before = requireTable(catalog, tableId);
  const ids = new PhysicalIds(catalog);
  const index = indexRecord(before, definition, () => ids.next());
  requireNoReplacement(before, index.columns, `index "${index.name}" cannot be created`);
  const table = { ...before, indexes: sortedByName([...before.indexes, index]) };
  const after = { ...withTable(catalog, table), physicalIdMax: ids.max };
  return changed(after, { kind: 'backfill_index', table, index });
}

export function deleteIndex(catalog: Catalog, tableId: number, name: string): Changed {
  const table = requireTable(catalog, tableId);
  const index = indexByName(table, name);
  if (index === undefined) {
    const building = table.transitions?.find(
      (one) => one.kind === 'index_build' && one.index.name === name,
    );
    if (building !== undefined) {
      const id = transitionIdText(building.id);
      throw fail('invalid', `index "${name}" is not ready; cancel its transition ${id} instead`);
    }
    throw fail('invalid', `unknown index: table "${table.name}" has no index "${name}"`);
  }
  const indexes = table.indexes.filter((other) => other !== index);
  return changed(withTable(catalog, { ...table, indexes }), dropRange(index));
}

export function createForeignKey(
  catalog: Catalog,
  tableId: number,
  definition: ForeignKeyDefinition,
): Changed {
  const before = requireTable(catalog, tableId);
  const ids = new PhysicalIds(catalog);
  const target = tableByName(catalog, definition.ref_table);
  const foreignKey = foreignKeyRecord(before, target, definition, () => ids.next());
  const what = `foreign key "${foreignKey.name}" cannot be created`;
  requireNoReplacement(before, foreignKey.columns, what);
  if (foreignKey.onDelete === 'set_null') requireNoNotNull(before, foreignKey.columns, what);
  const table = { ...before, foreignKeys: sortedByName([...before.foreignKeys, foreignKey]) };
  const after = { ...withTable(catalog, table), physicalIdMax: ids.max };
  const refTable = foreignKey.refTable === table.id ? table : (target ?? table);
  return changed(after, { kind: 'validate_foreign_key', table, foreignKey, refTable });
}

export function deleteForeignKey(catalog: Catalog, tableId: number, name: string): Changed {
  const table = requireTable(catalog, tableId);
  const key = foreignKeyByName(table, name);
  if (key === undefined) {
    throw fail(
      'invalid',
      `unknown foreign key: table "${table.name}" has no foreign key "${name}"`,
    );
  }
  const foreignKeys = table.foreignKeys.filter((other) => other !== key);
  return changed(withTable(catalog, { ...table, foreignKeys }));
}
