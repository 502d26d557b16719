/** Applies one change to one catalog, as a pure function with the rules of docs/pir.md §6. */

import { unreachable } from '#base';
import type { CatalogChange, PolicyChange } from '../definition.ts';
import type { CatalogEffect } from '../effect.ts';
import type { Catalog } from '../table.ts';
import type { Changed } from './change.ts';
import { changeColumnDefault, createColumn, deleteColumn, renameColumn } from './change-column.ts';
import { createForeignKey, createIndex, deleteForeignKey, deleteIndex } from './change-member.ts';
import { deleteTable, renameTable } from './change-table.ts';
import { createTable } from './create-table.ts';
import { setPolicies } from './set-policies.ts';

interface AppliedChange {
  readonly catalog: Catalog;
  readonly effects: readonly CatalogEffect[];
  /** False if the change has no effect. The catalog is then the same object, with the same version. */
  readonly changed: boolean;
}

/**
 * Returns the catalog after `change`, one version higher, except after a change of policies. `versionAtMs` remains that of the previous version: the committer sets it. Throws `invalid` for a
 * broken rule, and `schema_violation` for a default in a column definition that does not fit the column.
 */
export function applyChange(catalog: Catalog, change: CatalogChange | PolicyChange): AppliedChange {
  const outcome = apply(catalog, change);
  if (outcome === undefined) return { catalog, effects: [], changed: false };
  const version = catalog.version + (change.kind === 'set_policies' ? 0 : 1);
  return { catalog: { ...outcome.catalog, version }, effects: outcome.effects, changed: true };
}

function apply(catalog: Catalog, change: CatalogChange | PolicyChange): Changed {
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
    case 'set_policies':
      return setPolicies(catalog, change.policies);
    default:
      return unreachable(change);
  }
}
