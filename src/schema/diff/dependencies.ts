/** Findings for columns that cannot be replaced because a key uses them (docs/migrations.md). */

import { type Catalog, type ForeignKey, type Table, tableById } from '#catalog';
import type { DiffFinding } from '../finding.ts';
import { fateOf } from './columns.ts';
import { foreignKeyDifference } from './foreign-keys.ts';
import type { SchemaPair, TablePair } from './pairs.ts';

/** Returns the findings. `renamed` is the current catalog after all renames, which generated names of keys follow. */
export function replacementDependencies(
  pair: SchemaPair,
  renamed: Catalog,
): readonly DiffFinding[] {
  return pair.tables.flatMap((tables) => {
    const rewritten = tables.columns.filter((column) => fateOf(column) === 'rewritten');
    if (rewritten.length === 0) return [];
    const { created } = foreignKeyDifference(
      tableById(renamed, tables.after.id) as Table,
      tables.after,
    );
    const kept = tables.after.foreignKeys.filter((key) => !created.includes(key));
    return rewritten.flatMap((column) => {
      const user = userOf(pair, tables, kept, column.after.id);
      if (user === undefined) return [];
      const [table, name] = [tables.after.name, column.after.name];
      return {
        kind: 'column_replacement_dependency',
        summary: `column ${table}.${name} cannot be replaced: it is used by ${user}`,
        table,
        column: name,
      } as const;
    });
  });
}

/** Returns the key that prevents the replacement of a column. Indexes do not prevent it, since they are rebuilt; neither do foreign keys that this migration deletes. */
function userOf(
  pair: SchemaPair,
  { after }: TablePair,
  kept: readonly ForeignKey[],
  id: number,
): string | undefined {
  if (after.primaryKey.includes(id)) return inboundUser(pair, after) ?? 'the primary key';
  const key = kept.find(({ columns }) => columns.includes(id));
  return key && `the foreign key "${key.name}"`;
}

function inboundUser({ current }: SchemaPair, { id }: Table): string | undefined {
  for (const table of current.tables) {
    const key = table.foreignKeys.find(({ refTable }) => refTable === id);
    if (key === undefined) continue;
    return `the primary key, which the foreign key "${key.name}" of table "${table.name}" references`;
  }
  return undefined;
}
