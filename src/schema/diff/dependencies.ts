/** Columns that cannot be replaced because of what uses them (migration.md §3.2). */

import type { Table } from '#catalog';
import type { SchemaFinding } from '../finding.ts';
import { fateOf } from './columns.ts';
import { foreignKeyDifference } from './foreign-keys.ts';
import type { SchemaPair, TablePair } from './pairs.ts';

export function replacementDependencies(pair: SchemaPair): readonly SchemaFinding[] {
  return pair.tables.flatMap((tables) =>
    tables.columns.flatMap((column) => {
      if (fateOf(column) !== 'rewritten') return [];
      const user = userOf(pair, tables, column.after.id);
      if (user === undefined) return [];
      const [table, name] = [tables.after.name, column.after.name];
      return {
        kind: 'column_replacement_dependency',
        summary: `column ${table}.${name} cannot be replaced: it is used by ${user}`,
        table,
        column: name,
      } as const;
    }),
  );
}

/** Indexes are rebuilt, and keys that go in this migration are gone by then. */
function userOf(pair: SchemaPair, { before, after }: TablePair, id: number): string | undefined {
  if (after.primaryKey.includes(id)) return inboundUser(pair, after) ?? 'the primary key';
  const { created } = foreignKeyDifference(before, after);
  const kept = after.foreignKeys.filter((key) => !created.includes(key));
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
