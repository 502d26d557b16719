/** Converts the rows of a seed file to cells for the columns of the database's tables. */

import { orDidYouMean } from '#base';
import { type Catalog, type Column, columnByName, type Table, tableByName } from '#catalog';
import { readCell } from './seed-cell.ts';
import type { SeedDocument, SeedTable } from './seed-document.ts';
import { SeedFindings, type SeedPlace } from './seed-failure.ts';

export interface PreparedRow {
  readonly place: SeedPlace;
  /** Keyed by column id. A missing column gets its default. */
  readonly cells: ReadonlyMap<number, string | null>;
}

export interface PreparedTable {
  readonly table: Table;
  readonly rows: readonly PreparedRow[];
}

/** Converts all rows. Throws a CommandFailure with every value that the tables do not accept. */
export function prepareRows(
  { source, tables }: SeedDocument,
  catalog: Catalog,
): readonly PreparedTable[] {
  const findings = new SeedFindings(source);
  const prepared = tables.flatMap((seed): PreparedTable[] => {
    const table = tableByName(catalog, seed.name);
    if (table !== undefined) return [{ table, rows: rowsOf(seed, table, findings) }];
    const names = catalog.tables.map(({ name }) => name);
    const guess = orDidYouMean(seed.name, names);
    findings.add(seed.place, `the database has no table "${seed.name}"${guess}`);
    return [];
  });
  findings.refuse();
  refuseTwice(prepared, findings);
  refuseDangling(prepared, findings);
  findings.refuse();
  return prepared;
}

function rowsOf(seed: SeedTable, table: Table, findings: SeedFindings): PreparedRow[] {
  const names = table.columns.map(({ name }) => name);
  return seed.rows.map(({ place, cells }) => {
    const read = new Map<number, string | null>();
    const written = new Set<Column>();
    for (const { column: name, columnPlace, value, place: at } of cells) {
      const column = columnByName(table, name);
      if (column === undefined) {
        const guess = orDidYouMean(name, names);
        findings.add(columnPlace, `table "${table.name}" has no column "${name}"${guess}`);
        continue;
      }
      written.add(column);
      const cell = readCell(column, value);
      if (cell.kind === 'cell') read.set(column.id, cell.text);
      else findings.add(at, cell.message);
    }
    for (const column of table.columns) {
      if (written.has(column) || column.default !== undefined) continue;
      if (column.nullable) read.set(column.id, null);
      else findings.add(place, `column "${column.name}" is missing: it has no default`);
    }
    return { place, cells: read };
  });
}

/** Reports rows with equal keys. A row whose key is generated or contains NULL has no equal. */
function refuseTwice(tables: readonly PreparedTable[], findings: SeedFindings): void {
  for (const { table, rows } of tables) {
    const unique = table.indexes.filter((index) => index.unique);
    for (const columns of [table.primaryKey, ...unique.map((index) => index.columns)]) {
      const seen = new Set<string>();
      for (const row of rows) {
        const key = keyOf(row, columns);
        if (key === undefined) continue;
        if (seen.has(key)) {
          const names = namesOf(table, columns);
          findings.add(row.place, `another row above has the same ${names}, which is unique`);
        }
        seen.add(key);
      }
    }
  }
}

/**
 * Reports references without a row in the file, if the file contains the referenced table. If the keys of that table are generated, only the database can check
 * them.
 */
function refuseDangling(tables: readonly PreparedTable[], findings: SeedFindings): void {
  for (const { table, rows } of tables) {
    for (const { columns, refTable, refColumns } of table.foreignKeys) {
      const parent = tables.find((it) => it.table.id === refTable);
      if (parent === undefined) continue;
      const keys = parent.rows.map((row) => keyOf(row, refColumns));
      if (keys.includes(undefined)) continue;
      const known = new Set(keys);
      for (const row of rows) {
        const key = keyOf(row, columns);
        if (key === undefined || known.has(key)) continue;
        const values = columns.map((id) => row.cells.get(id)).join(', ');
        const names = namesOf(table, columns);
        findings.add(
          row.place,
          `${names} ${values}: no row of "${parent.table.name}" in this file has this key`,
        );
      }
    }
  }
}

export function keyOf({ cells }: PreparedRow, columns: readonly number[]): string | undefined {
  const values = columns.map((id) => cells.get(id));
  const isWhole = values.every((value) => value !== undefined && value !== null);
  return isWhole ? JSON.stringify(values) : undefined;
}

function namesOf({ columns }: Table, ids: readonly number[]): string {
  return ids.map((id) => columns.find((column) => column.id === id)?.name).join(', ');
}
