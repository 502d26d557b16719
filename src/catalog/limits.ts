/** How large a catalog may be. What is stored already is never refused: only what makes it larger. */

import { fail } from '#failure';

export const catalogLimits = {
  tables: 4_096,
  /** Of a table. */
  columns: 1_024,
  /** Of a table, with those that are being built. */
  indexes: 64,
  /** Of a table, with those that are being validated. */
  foreignKeys: 64,
  /** Of a primary key, an index or a foreign key. */
  keyColumns: 16,
  nameBytes: 255,
  /** Of the record that holds the whole catalog. */
  recordBytes: 16 * 2 ** 20,
} as const;

/** Why `count` of them are too many for `what`; undefined when they are not. */
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
