/** Checks of one table of the file without others: columns, primary key, indexes (docs/schema.md). */

import { didYouMean } from '#base';
import { checkDefault } from '#catalog';
import { DatabaseError } from '#failure';
import { identifierFormats } from '#value';
import type { FileColumn, FileTable } from './file-table.ts';
import type { Findings } from './findings.ts';
import { checkDistinct, checkFew, checkName } from './names.ts';
import { generatorHint } from './read-default.ts';
import type { Spotted } from './source.ts';
import { spelledIndexes, spelledPrimaryKey } from './spell.ts';

/** The columns of a table by name. If names are equal, the map contains the first column. */
export type ColumnsByName = ReadonlyMap<string, FileColumn>;

export function columnsByName(table: FileTable): ColumnsByName {
  const columns = new Map<string, FileColumn>();
  for (const column of table.columns) {
    const name = column.name?.value;
    if (name !== undefined && !columns.has(name)) columns.set(name, column);
  }
  return columns;
}

export function checkTable(table: FileTable, columns: ColumnsByName, findings: Findings): void {
  checkName(table.name, 'table', findings);
  checkColumns(table, findings);
  checkPrimaryKey(table, columns, findings);
  checkIndexes(table, columns, findings);
}

function checkColumns(table: FileTable, findings: Findings): void {
  const { columns } = table;
  if (columns.length === 0 && table.hasAllColumns) {
    findings.error(table.spot, `table ${nameOf(table)} must contain at least one column`);
  }
  const spots = columns.map(({ spot }) => spot);
  checkFew(spots, findings, `table ${nameOf(table)}`, 'columns');
  const named = columns.map(({ name }) => name);
  checkDistinct(named, findings, (name) => `duplicate column ${JSON.stringify(name)}`);
  checkDistinct(
    columns.map(({ id }) => id),
    findings,
    (id, earlier, later) =>
      `columns ${shown(named[earlier])} and ${shown(named[later])} share ID ${id}`,
  );
  for (const column of columns) {
    checkName(column.name, 'column', findings);
    checkName(column.format, 'format', findings);
    checkColumnDefault(column, findings);
  }
}

function checkColumnDefault(column: FileColumn, findings: Findings): void {
  const { type, default: given } = column;
  if (type === undefined || given === undefined) return;
  const format = column.format?.value;
  const identifierFormat =
    type === 'bytes' ? identifierFormats.find((known) => known === format) : undefined;
  const target = { name: column.name?.value ?? '', type, identifierFormat };
  try {
    checkDefault(target, given.value, 'invalid');
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { message } = error;
    const what = message.slice(message.indexOf(': ') + 2);
    if (given.value.kind === 'generator') {
      const { func } = given.value;
      findings.error(
        given.spot,
        `\`${func}()\` default on ${type} column: ${what.replace(/^default /, '')}`,
      );
    } else findings.error(given.spot, what, generatorHint(given.value, type) ?? quoteHint(column));
  }
}

/** Returns a hint if a text column has a number or boolean as its default: probably a string without quotes. */
function quoteHint({ type, default: given }: FileColumn): string | undefined {
  const isBare = given?.value.kind === 'literal' && typeof given.value.value !== 'string';
  return type === 'text' && isBare ? 'put it in quotes' : undefined;
}

function checkPrimaryKey(table: FileTable, columns: ColumnsByName, findings: Findings): void {
  const { primaryKey } = table;
  if (primaryKey !== undefined) {
    if (table.columns.some(({ pk }) => pk)) {
      findings.error(primaryKey.spot, 'both column-level pk and table-level primary_key');
    }
    if (primaryKey.value.length === 0) {
      findings.error(primaryKey.spot, 'primary_key must not be empty');
      return;
    }
  }
  const names = spelledPrimaryKey(table);
  if (names === undefined) {
    if (!table.hasAllColumns || table.columns.length === 0) return;
    const hint = 'mark a column with `pk: true`, or list the columns in primary_key';
    findings.error(
      table.name?.spot ?? table.spot,
      `table ${nameOf(table)} needs a primary key`,
      hint,
    );
    return;
  }
  checkColumnNames(names, table, columns, 'the primary key', findings);
  for (const { value, spot } of names) {
    if (columns.get(value)?.nullable !== true) continue;
    findings.error(
      spot,
      `the primary key column ${JSON.stringify(value)} must not be nullable`,
      'remove `nullable: true`',
    );
  }
}

function checkIndexes(table: FileTable, columns: ColumnsByName, findings: Findings): void {
  const indexes = spelledIndexes(table);
  const spots = indexes.map(({ name }) => name.spot);
  checkFew(spots, findings, `table ${nameOf(table)}`, 'indexes');
  for (const index of indexes) {
    const what = `index ${JSON.stringify(index.name.value)}`;
    checkName(index.name, 'index', findings);
    checkColumnNames(index.columns, table, columns, what, findings);
  }
  checkDistinct(
    indexes.map(({ name }) => name),
    findings,
    (name) => `duplicate index name ${JSON.stringify(name)} in table ${nameOf(table)}`,
  );
}

/** Checks that the names are columns of the table and that none is repeated. */
export function checkColumnNames(
  names: readonly Spotted<string>[],
  table: FileTable,
  columns: ColumnsByName,
  what: string,
  findings: Findings,
): void {
  const spots = names.map(({ spot }) => spot);
  checkFew(spots, findings, what, 'keyColumns');
  checkDistinct(
    names,
    findings,
    (name) => `${what} names the column ${JSON.stringify(name)} twice`,
  );
  if (!table.hasAllColumns) return;
  for (const { value, spot } of names) {
    if (columns.has(value)) continue;
    const text = `${what} names the unknown column ${JSON.stringify(value)} of table ${nameOf(table)}`;
    findings.error(spot, text, () => didYouMean(value, columns.keys()));
  }
}

export function nameOf(table: FileTable): string {
  return shown(table.name);
}

function shown(name: Spotted<string> | undefined): string {
  return name === undefined ? '(without a name)' : JSON.stringify(name.value);
}
