/** Checks all rules of a schema file that need no data, and reports each violation at its position. */

import { type CheckedTable, checkForeignKeys } from './check-foreign-key.ts';
import { checkTable, columnsByName } from './check-table.ts';
import type { FileTable } from './file-table.ts';
import type { Findings } from './findings.ts';
import { checkDistinct, checkFew } from './names.ts';
import { checkPolicies } from './policy/check-policies.ts';
import type { SchemaFile } from './read-file.ts';

export function checkFile({ tables, policies }: SchemaFile, findings: Findings): void {
  const known = checkTables(tables, findings);
  if (typeof policies === 'object') checkPolicies(policies, known, findings);
}

/** Returns the tables by name. */
function checkTables(
  tables: readonly FileTable[],
  findings: Findings,
): ReadonlyMap<string, CheckedTable> {
  const spots = tables.map(({ spot }) => spot);
  checkFew(spots, findings, 'a database', 'tables');
  const named = tables.map(({ name }) => name);
  const shown = (i: number) => JSON.stringify(named[i]?.value ?? '');
  checkDistinct(named, findings, (name) => `duplicate table ${JSON.stringify(name)}`);
  checkDistinct(
    tables.map(({ id }) => id),
    findings,
    (id, earlier, later) => `tables ${shown(earlier)} and ${shown(later)} share ID ${id}`,
  );
  const checked: CheckedTable[] = [];
  const byName = new Map<string, CheckedTable>();
  for (const table of tables) {
    const entry = { table, columns: columnsByName(table) };
    checked.push(entry);
    const name = table.name?.value;
    if (name !== undefined && !byName.has(name)) byName.set(name, entry);
  }
  for (const entry of checked) {
    checkTable(entry.table, entry.columns, findings);
    checkForeignKeys(entry, byName, findings);
  }
  return byName;
}
