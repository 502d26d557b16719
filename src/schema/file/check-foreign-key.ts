/** Checks of foreign keys, which involve two tables (docs/schema.md). */

import { didYouMean } from '#base';
import { type ColumnsByName, checkColumnNames, nameOf } from './check-table.ts';
import type { FileForeignKey, FileTable } from './file-table.ts';
import type { Findings } from './findings.ts';
import { checkDistinct, checkFew, checkName } from './names.ts';
import { columnListsByFirst, spelledForeignKeys, spelledPrimaryKey } from './spell.ts';

export interface CheckedTable {
  readonly table: FileTable;
  readonly columns: ColumnsByName;
}

export function checkForeignKeys(
  checked: CheckedTable,
  tables: ReadonlyMap<string, CheckedTable>,
  findings: Findings,
): void {
  const keys = spelledForeignKeys(checked.table);
  const spots = keys.map(({ spot }) => spot);
  checkFew(spots, findings, `table ${nameOf(checked.table)}`, 'foreignKeys');
  for (const key of keys) {
    checkName(key.name, 'foreign key', findings);
    checkForeignKey(key, checked, tables, findings);
  }
  checkDistinct(
    keys.map(({ name }) => name),
    findings,
    (name) =>
      `duplicate foreign key name ${JSON.stringify(name)} in table ${nameOf(checked.table)}`,
  );
}

function checkForeignKey(
  key: FileForeignKey,
  { table, columns }: CheckedTable,
  tables: ReadonlyMap<string, CheckedTable>,
  findings: Findings,
): void {
  const what = `foreign key ${JSON.stringify(key.name?.value ?? '')}`;
  checkColumnNames(key.columns, table, columns, what, findings);
  if (key.onDelete === 'set_null') checkClearable(key, table, columns, what, findings);
  if (key.columns.length > 0) warnOfMissingIndex(key, table, what, findings);
  const { refTable } = key;
  if (refTable === undefined) return;
  const target = tables.get(refTable.value);
  if (target === undefined) {
    const text = `${what} references the unknown table ${JSON.stringify(refTable.value)}`;
    findings.error(refTable.spot, text, () => didYouMean(refTable.value, tables.keys()));
    return;
  }
  checkTarget(key, columns, target, what, findings);
}

/** Checks that the key references the whole primary key in order, with equal types. */
function checkTarget(
  key: FileForeignKey,
  columns: ColumnsByName,
  target: CheckedTable,
  what: string,
  findings: Findings,
): void {
  const primaryKey = spelledPrimaryKey(target.table)?.map(({ value }) => value);
  if (primaryKey === undefined || key.refColumns.length === 0) return;
  const given = key.refColumns.map(({ value }) => value);
  const spot = key.refColumns[0]?.spot ?? key.spot;
  if (given.length !== primaryKey.length || given.some((name, i) => name !== primaryKey[i])) {
    const whole = primaryKey.map((name) => JSON.stringify(name)).join(', ');
    findings.error(
      spot,
      `${what} must reference the whole primary key of table ${nameOf(target.table)} in order: ${whole}`,
    );
    return;
  }
  if (key.columns.length !== given.length) {
    const count = key.columns.length;
    findings.error(key.spot, `${what} has ${count} columns and references ${given.length}`);
    return;
  }
  key.columns.forEach(({ value, spot: at }, i) => {
    const type = columns.get(value)?.type;
    const wanted = target.columns.get(given[i] as string)?.type;
    if (type === undefined || wanted === undefined || type === wanted) return;
    const [own, other] = [JSON.stringify(value), JSON.stringify(given[i])];
    findings.error(
      at,
      `${what}: column ${own} is ${type}, the referenced column ${other} is ${wanted}`,
    );
  });
}

/** Checks that `set_null` can set the columns of the key to NULL. */
function checkClearable(
  key: FileForeignKey,
  table: FileTable,
  columns: ColumnsByName,
  what: string,
  findings: Findings,
): void {
  const primaryKey = spelledPrimaryKey(table)?.map(({ value }) => value) ?? [];
  for (const { value, spot } of key.columns) {
    const column = columns.get(value);
    const shown = JSON.stringify(value);
    if (primaryKey.includes(value)) {
      findings.error(spot, `${what}: set_null cannot clear the primary key column ${shown}`);
    } else if (column !== undefined && !column.nullable) {
      findings.error(
        spot,
        `${what}: set_null needs the column ${shown} to be nullable`,
        'add `nullable: true` to the column',
      );
    }
  }
}

/** Warns if no index begins with the columns of the key: deleting a referenced row would then read the whole table to find referencing rows. */
function warnOfMissingIndex(
  key: FileForeignKey,
  table: FileTable,
  what: string,
  findings: Findings,
): void {
  const wanted = key.columns.map(({ value }) => value);
  const lists = columnListsByFirst(table).get(wanted[0] as string) ?? [];
  if (lists.some((list) => wanted.every((name, i) => list[i]?.value === name))) return;
  findings.warning(
    key.name?.spot ?? key.spot,
    `${what} has no index on ${wanted.map((name) => JSON.stringify(name)).join(', ')}`,
    `deleting a referenced row reads all of ${nameOf(table)}; add an index`,
  );
}
