/** What a delete does to referencing rows, wave by wave (docs/pir.md §5). */

import { type Database, type OracleTable, ordinalOf, type TableForeignKey } from './database.ts';
import { checkReferences, checkUnique } from './mutation.ts';
import { invalid } from './problem.ts';
import type { Row, Row as Tuple } from './relation.ts';
import { rowIdentity, type Value } from './value.ts';

interface Reference {
  readonly table: OracleTable;
  readonly key: TableForeignKey;
  readonly row: Value[];
}

export function removeRows(database: Database, table: OracleTable, rows: readonly Value[][]): void {
  const removed: { readonly table: OracleTable; readonly row: Row }[] = [];
  const cleared = new Map<OracleTable, Set<number>>();
  let wave = rows.map((row) => ({ table, row }));
  while (wave.length > 0) {
    for (const victim of wave) {
      victim.table.rows = victim.table.rows.filter((row) => row !== victim.row);
      removed.push(victim);
    }
    const references = wave.flatMap((victim) => referencesTo(database, victim));
    if (references.some(({ key }) => key.onDelete === 'restrict')) {
      throw invalid('constraint_violation', 'restrict');
    }
    const cascaded = references.filter(({ key }) => key.onDelete === 'cascade');
    const next = new Set(cascaded.map(({ row }) => row));
    for (const reference of references) {
      if (reference.key.onDelete !== 'set_null' || next.has(reference.row)) continue;
      clear(reference, cleared);
    }
    wave = [...new Map(cascaded.map((reference) => [reference.row, reference])).values()];
  }
  if (removed.some((victim) => referencesTo(database, victim).length > 0)) {
    throw invalid('constraint_violation', 'no_action');
  }
  for (const [touchedTable, columns] of cleared) {
    checkUnique(touchedTable, columns);
    checkReferences(database, touchedTable, columns);
  }
}

function clear({ table, key, row }: Reference, cleared: Map<OracleTable, Set<number>>): void {
  for (const id of key.columns) row[ordinalOf(table, id)] = null;
  const columns = cleared.get(table) ?? new Set();
  for (const id of key.columns) columns.add(id);
  cleared.set(table, columns);
}

/** Remaining rows that point at a removed one; it may have been put back by nobody, since keys are unique. */
function referencesTo(
  database: Database,
  victim: { readonly table: OracleTable; readonly row: Row },
): readonly Reference[] {
  return database.tables.flatMap((table) =>
    table.foreignKeys
      .filter((key) => key.refTable === victim.table.id)
      .flatMap((key) => {
        const wanted = rowIdentity(tupleOf(victim.table, key.refColumns, victim.row));
        return table.rows
          .filter((row) => {
            const tuple = tupleOf(table, key.columns, row);
            return !tuple.includes(null) && rowIdentity(tuple) === wanted;
          })
          .map((row) => ({ table, key, row }));
      }),
  );
}

function tupleOf(table: OracleTable, ids: readonly number[], row: Row): Tuple {
  return ids.map((id) => row[ordinalOf(table, id)] as Value);
}
