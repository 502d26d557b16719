/** Changes of a whole table: `rename_table`, `delete_table`. */

import { fail } from '#failure';
import type { CatalogEffect } from '../effect.ts';
import { requireTableUnread } from '../policy/uses.ts';
import type { Catalog } from '../table.ts';
import { refuseWhile } from '../transition/admission.ts';
import { pendingForeignKeys } from '../transition/transition.ts';
import { type Changed, changed, requireTable, withTable } from './change.ts';
import { requireFreeTableName } from './create-table.ts';
import { followRename } from './name.ts';
import { withoutPolicyOf } from './set-policies.ts';

/** Renames a table. Foreign keys of other tables refer to it by id, so they need no change. */
export function renameTable(catalog: Catalog, tableId: number, to: string): Changed {
  const table = requireTable(catalog, tableId);
  if (table.name === to) return undefined;
  requireFreeTableName(catalog, to);
  return changed(withTable(catalog, followRename(table, { ...table, name: to })));
}

export function deleteTable(catalog: Catalog, tableId: number): Changed {
  const table = requireTable(catalog, tableId);
  const what = `table "${table.name}" cannot be deleted`;
  refuseWhile(table.transitions?.[0], what);
  requireTableUnread(catalog, table, what);
  for (const other of catalog.tables) {
    if (other.id === tableId) continue;
    const key = [...other.foreignKeys, ...pendingForeignKeys(other.transitions)].find(
      (candidate) => candidate.refTable === tableId,
    );
    if (key === undefined) continue;
    throw fail(
      'invalid',
      `table "${table.name}" is referenced by the foreign key "${key.name}" of table "${other.name}"`,
    );
  }
  const tables = catalog.tables.filter((other) => other.id !== tableId);
  const policies = catalog.policies && withoutPolicyOf(catalog.policies, tableId);
  const after = { ...catalog, tables, ...(policies && { policies }) };
  return changed(after, ...[table, ...table.indexes].map(dropRange));
}

export function dropRange(object: { readonly physicalId: number }): CatalogEffect {
  return { kind: 'drop_range', physicalId: object.physicalId };
}
