/** Messages for differences that no migration can make, each with its remedy (docs/migrations.md). */

import { columnById, columnNames, isSameDefault, type Table } from '#catalog';
import type { SchemaPair, TablePair } from './pairs.ts';
import { quoted } from './text.ts';

/** Returns all rejections, each as a sentence. */
export function rejectionsOf(pair: SchemaPair): readonly string[] {
  return [
    ...tableNameRejections(pair),
    ...pair.tables.flatMap((tables) => [
      ...columnNameRejections(tables),
      ...primaryKeyRejections(tables),
      ...orderRejections(tables),
      ...additionRejections(tables),
      ...incrementRejections(tables),
    ]),
  ];
}

interface Named {
  readonly id: number;
  readonly name: string;
}

function tableNameRejections({ current, desired }: SchemaPair): readonly string[] {
  return takenNames(current.tables, desired.tables, 'table ');
}

function columnNameRejections({ before, after }: TablePair): readonly string[] {
  return takenNames(before.columns, after.columns, `column ${quoted(after.name)}.`);
}

/** Rejects names of objects that this migration deletes. Deletions are the last steps, so such a name is free only in the next migration. */
function takenNames(
  before: readonly Named[],
  after: readonly Named[],
  what: string,
): readonly string[] {
  const holders = new Map(before.map((object) => [object.name, object]));
  const former = new Map(before.map((object) => [object.id, object]));
  const kept = new Set(after.map(({ id }) => id));
  return after.flatMap(({ id, name }) => {
    const holder = holders.get(name);
    if (holder === undefined || holder.id === id || kept.has(holder.id)) return [];
    const from = former.get(id)?.name;
    return from === undefined
      ? `${what}${quoted(name)} changes schema ID ${holder.id} -> ${id}; remove it in one migration before creating the replacement`
      : `${what}${quoted(from)} cannot be renamed to ${quoted(name)}: the name belongs to ID ${holder.id}, which this migration deletes; remove that in one migration before the rename`;
  });
}

function primaryKeyRejections({ before, after }: TablePair): readonly string[] {
  const isSame =
    before.primaryKey.length === after.primaryKey.length &&
    before.primaryKey.every((id, i) => id === after.primaryKey[i]);
  if (isSame) return [];
  const keys = [before, after].map(keyText);
  return [
    `the primary key of table ${quoted(after.name)} changes (${keys[0]} -> ${keys[1]}): the primary key of a table cannot be changed; create another table and move the rows`,
  ];
}

function keyText(table: Table): string {
  return columnNames(table, table.primaryKey).map(quoted).join(', ');
}

/** Rejects a changed order of existing columns, and new columns before existing ones. */
function orderRejections({ before, after, columns }: TablePair): readonly string[] {
  const rejections: string[] = [];
  const kept = before.columns.filter(({ id }) => columnById(after, id) !== undefined);
  if (columns.some((pair, i) => pair.before.id !== kept[i]?.id)) {
    const order = kept.map(({ id }) => quoted(columnById(after, id)?.name ?? '')).join(', ');
    rejections.push(
      `the columns of table ${quoted(after.name)} are reordered; keep the order ${order}`,
    );
  }
  const last = after.columns.findLastIndex(({ id }) => columnById(before, id) !== undefined);
  after.columns.slice(0, last + 1).forEach((column) => {
    if (columnById(before, column.id) !== undefined) return;
    rejections.push(
      `the new column ${quoted(after.name)}.${quoted(column.name)} precedes existing columns; declare it after ${quoted(after.columns[last]?.name ?? '')}`,
    );
  });
  return rejections;
}

/** Rejects new columns without a value for existing rows. */
function additionRejections({ after, addedColumns }: TablePair): readonly string[] {
  return addedColumns.flatMap((column) => {
    if (column.nullable || column.default?.kind === 'literal') return [];
    return `added column ${quoted(after.name)}.${quoted(column.name)} must be nullable or have a literal default, since existing rows need a value; add it as nullable, fill it, then remove \`nullable\``;
  });
}

function incrementRejections({ after, columns }: TablePair): readonly string[] {
  return columns.flatMap((column) => {
    const defaults = [column.before.default, column.after.default];
    const isIncrement = defaults.some(
      (one) => one?.kind === 'generator' && one.func === 'increment',
    );
    if (!isIncrement || isSameDefault(defaults[0], defaults[1])) return [];
    return `increment generator on column ${quoted(after.name)}.${quoted(column.after.name)} is immutable: it can neither be added to nor removed from an existing column`;
  });
}
