/** Size limits of a catalog. They apply only to changes that make it larger, so a stored catalog is never rejected. */

import { fail } from '#failure';

export const catalogLimits = {
  tables: 4_096,
  /** Maximum number of columns per table. */
  columns: 1_024,
  /** Maximum number of indexes per table, including indexes that are being built. */
  indexes: 64,
  /** Maximum number of foreign keys per table, including foreign keys that are being validated. */
  foreignKeys: 64,
  /** Maximum number of columns per primary key, index or foreign key. */
  keyColumns: 16,
  nameBytes: 255,
  /** Maximum number of expressions and nodes per condition of a policy. */
  policyParts: 64,
  /** Maximum size of the record that contains the whole catalog. */
  recordBytes: 16 * 2 ** 20,
} as const;

/** Returns an error text if `what` may not have `count` objects of a kind; `undefined` if it may. */
export function tooMany(
  what: string,
  count: number,
  of: 'tables' | 'columns' | 'indexes' | 'foreignKeys' | 'keyColumns',
): string | undefined {
  const max = catalogLimits[of];
  if (count <= max) return undefined;
  return `${what} has at most ${shown(max)} ${words[of]}, this would be ${shown(count)}`;
}

export function requireFew(...[what, count, of]: Parameters<typeof tooMany>): void {
  const trouble = tooMany(what, count, of);
  if (trouble !== undefined) throw fail('invalid', trouble);
}

const words = {
  tables: 'tables',
  columns: 'columns',
  indexes: 'indexes',
  foreignKeys: 'foreign keys',
  keyColumns: 'columns',
} as const;

function shown(count: number): string {
  return count.toLocaleString('en-US');
}
