/** Chooses the access path to the rows that reference given keys: a primary key or an index that starts with the referencing columns, else a scan. */

import type { ForeignKey, Table } from '#catalog';
import { type IndexLayout, indexLayout, type TableLayout, tableLayout } from '#layout';

export type ReverseAccess =
  /** `members[i]` is the index of the foreign-key member at position i of the key. */
  | { readonly kind: 'primary'; readonly layout: TableLayout; readonly members: readonly number[] }
  | { readonly kind: 'index'; readonly layout: IndexLayout; readonly members: readonly number[] }
  | { readonly kind: 'scan' };

export function reverseAccess(child: Table, foreignKey: ForeignKey): ReverseAccess {
  const byKey = leadingMembers(child.primaryKey, foreignKey);
  if (byKey !== undefined) return { kind: 'primary', layout: tableLayout(child), members: byKey };
  for (const index of child.indexes) {
    const members = leadingMembers(index.columns, foreignKey);
    if (members === undefined) continue;
    return { kind: 'index', layout: indexLayout(child, index), members };
  }
  return { kind: 'scan' };
}

/**
 * Returns the position in the foreign key of each leading column of a key. Returns `undefined` unless the leading columns are those of the foreign
 * key, in any order.
 */
function leadingMembers(
  columns: readonly number[],
  foreignKey: ForeignKey,
): readonly number[] | undefined {
  const count = foreignKey.columns.length;
  if (columns.length < count) return undefined;
  const members = columns.slice(0, count).map((id) => foreignKey.columns.indexOf(id));
  return members.includes(-1) || new Set(members).size < count ? undefined : members;
}
