/** One change applied to one catalog: a pure function, by the rules of pir.md §7. */

import { unreachable } from '#base';
import type { CatalogChange } from '../definition.ts';
import type { CatalogEffect } from '../effect.ts';
import type { Catalog } from '../table.ts';
import type { Changed } from './change.ts';
import { changeColumnDefault, createColumn, deleteColumn, renameColumn } from './change-column.ts';
import { createForeignKey, createIndex, deleteForeignKey, deleteIndex } from './change-member.ts';
import { deleteTable, renameTable } from './change-table.ts';
import { createTable } from './create-table.ts';

interface AppliedChange {
  readonly catalog: Catalog;
  readonly effects: readonly CatalogEffect[];
  /** False when the change changes nothing: the catalog is then the same object, without a new version. */
  readonly changed: boolean;
}

/**
 * The catalog after `change`, one version higher. `versionAtMs` stays that of the version before: whoever commits sets it.
 * Throws `invalid` for a broken rule, and `schema_violation` for a default that does not fit the column it is defined with.
 */
export function applyChange(catalog: Catalog, change: CatalogChange): AppliedChange {
  const outcome = apply(catalog, change);
  if (outcome === undefined) return { catalog, effects: [], changed: false };
  const version = catalog.version + 1;
  return { catalog: { ...outcome.catalog, version }, effects: outcome.effects, changed: true };
}

function apply(catalog: Catalog, change: CatalogChange): Changed {
  switch (change.kind) {
    case 'create_table':
      return createTable(catalog, change.table);
    case 'rename_table':
      return renameTable(catalog, change.table_id, change.to);
    case 'delete_table':
      return deleteTable(catalog, change.table_id);
    case 'create_column':
      return createColumn(catalog, change.table_id, change.column);
    case 'rename_column':
      return renameColumn(catalog, change.table_id, change.column_id, change.to);
    case 'change_column_default':
      return changeColumnDefault(catalog, change.table_id, change.column_id, change.default);
    case 'delete_column':
      return deleteColumn(catalog, change.table_id, change.column_id);
    case 'create_index':
      return createIndex(catalog, change.table_id, change.index);
    case 'delete_index':
      return deleteIndex(catalog, change.table_id, change.index);
    case 'create_foreign_key':
      return createForeignKey(catalog, change.table_id, change.foreign_key);
    case 'delete_foreign_key':
      return deleteForeignKey(catalog, change.table_id, change.foreign_key);
    default:
      return unreachable(change);
  }
}
