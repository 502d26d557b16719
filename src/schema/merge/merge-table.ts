/** Merges one table that exists on both sides. */

import {
  type Column,
  columnById,
  type ForeignKey,
  generatedForeignKeyName,
  generatedIndexName,
  type Index,
  isSameDefault,
  type Table,
} from '#catalog';
import { columnText } from '../file/render.ts';
import { choose, chooseMembers } from './three-way.ts';

/** Called with each change that conflicts with one of the other side. */
export type OnConflict = (text: string) => void;

interface TableSides {
  readonly base: Table | undefined;
  readonly ours: Table;
  readonly theirs: Table;
}

export function mergeTable({ base, ours, theirs }: TableSides, onConflict: OnConflict): Table {
  const name = choose(base?.name, ours.name, theirs.name);
  if (name.isConflict) {
    onConflict(
      `table ${base?.name ?? theirs.name}: named ${theirs.name} in the database, ${ours.name} in the file`,
    );
  }
  const columns = mergeColumns({ base, ours, theirs }, name.value, onConflict);
  const merged = { ...theirs, name: name.value, columns };
  const keys = choose(
    base?.primaryKey,
    ours.primaryKey,
    theirs.primaryKey,
    (left, right) => left.join() === right.join(),
  );
  if (keys.isConflict) onConflict(`table ${name.value}: the primary keys differ`);
  const has = ({ columns: ids }: { readonly columns: readonly number[] }) =>
    ids.every((id) => columnById(merged, id) !== undefined);
  const indexes = mergeMembers(indexesOf, { base, ours, theirs }).filter(has);
  const foreignKeys = mergeMembers(foreignKeysOf, { base, ours, theirs }).filter(has);
  return {
    ...merged,
    primaryKey: keys.value,
    indexes: indexes.map((it) => ({ ...it, name: it.givenName ?? indexName(merged, it) })),
    foreignKeys: foreignKeys.map((it) => ({
      ...it,
      name: it.givenName ?? foreignKeyName(merged, it),
    })),
  };
}

/** An index or foreign key. `givenName` is `undefined` if the name is generated from the table and the columns; a generated name follows their names. */
type Named<Member> = Member & { readonly key: string; readonly givenName: string | undefined };

function mergeMembers<Member>(
  membersOf: (table: Table) => readonly Named<Member>[],
  { base, ours, theirs }: TableSides,
): readonly Named<Member>[] {
  const keyOf = ({ key, givenName }: Named<Member>) => `${key} ${givenName ?? ''}`;
  const former = base === undefined ? [] : membersOf(base);
  return chooseMembers(keyOf, former, membersOf(ours), membersOf(theirs));
}

function indexesOf(table: Table): readonly Named<Index>[] {
  return table.indexes.map((index) => ({
    ...index,
    key: `${index.columns.join(',')} ${index.unique}`,
    givenName: index.name === indexName(table, index) ? undefined : index.name,
  }));
}

function foreignKeysOf(table: Table): readonly Named<ForeignKey>[] {
  return table.foreignKeys.map((it) => ({
    ...it,
    key: `${it.columns.join(',')} ${it.refTable} ${it.refColumns.join(',')} ${it.onDelete}`,
    givenName: it.name === foreignKeyName(table, it) ? undefined : it.name,
  }));
}

function indexName(table: Table, { columns, unique }: Index): string {
  return generatedIndexName(table.name, namesIn(table, columns), unique);
}

function foreignKeyName(table: Table, { columns }: ForeignKey): string {
  return generatedForeignKeyName(table.name, namesIn(table, columns)[0] ?? '');
}

/** Returns the columns of the database in its order, followed by the columns that the file has added. */
function mergeColumns(
  { base, ours, theirs }: TableSides,
  table: string,
  onConflict: OnConflict,
): readonly Column[] {
  const inBase = (id: number) => base && columnById(base, id);
  const shared = theirs.columns.flatMap((theirColumn) => {
    const { id } = theirColumn;
    const mine = columnById(ours, id);
    const before = inBase(id);
    if (mine !== undefined) return [mergeColumn(table, before, mine, theirColumn, onConflict)];
    if (before === undefined) return [theirColumn];
    if (!isSameColumn(before, theirColumn)) {
      onConflict(
        `column ${table}.${theirColumn.name}: changed in the database, deleted in the file`,
      );
      return [theirColumn];
    }
    return [];
  });
  const added = ours.columns.filter((mine) => {
    if (columnById(theirs, mine.id) !== undefined) return false;
    const before = inBase(mine.id);
    if (before === undefined) return true;
    if (!isSameColumn(before, mine)) {
      onConflict(`column ${table}.${mine.name}: deleted in the database, changed in the file`);
    }
    return false;
  });
  return [...shared, ...added];
}

function mergeColumn(
  table: string,
  base: Column | undefined,
  ours: Column,
  theirs: Column,
  onConflict: OnConflict,
): Column {
  const name = choose(base?.name, ours.name, theirs.name);
  if (name.isConflict) {
    const former = base?.name ?? theirs.name;
    onConflict(
      `column ${table}.${former}: named ${theirs.name} in the database, ${ours.name} in the file`,
    );
  }
  const shape = choose(base, ours, theirs, isSameShape);
  const given = choose(base, ours, theirs, hasSameDefault);
  if (shape.isConflict || given.isConflict) {
    onConflict(
      `column ${table}.${name.value}: ${columnText(theirs)} in the database, ${columnText(ours)} in the file`,
    );
  }
  return { ...shape.value, name: name.value, default: given.value.default };
}

function isSameColumn(left: Column, right: Column): boolean {
  return left.name === right.name && isSameShape(left, right) && hasSameDefault(left, right);
}

function isSameShape(left: Column, right: Column): boolean {
  return (
    left.type === right.type && left.nullable === right.nullable && left.format === right.format
  );
}

function hasSameDefault(left: Column, right: Column): boolean {
  return isSameDefault(left.default, right.default);
}

function namesIn(table: Table, ids: readonly number[]): readonly string[] {
  return ids.map((id) => columnById(table, id)?.name ?? '');
}
