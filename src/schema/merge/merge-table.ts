/** One table that both sides have, with what each of them changed in it. */

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
import { choose, chooseMembers } from './three-way.ts';

/** Told each thing that both sides changed. */
export type OnConflict = (text: string) => void;

export interface TableSides {
  readonly base: Table | undefined;
  readonly ours: Table;
  readonly theirs: Table;
}

export function mergeTable({ base, ours, theirs }: TableSides, onConflict: OnConflict): Table {
  const name = choose(base?.name, ours.name, theirs.name);
  if (name.isConflict) {
    onConflict(`table ${base?.name ?? theirs.name}: named ${theirs.name} there, ${ours.name} here`);
  }
  const columns = mergeColumns({ base, ours, theirs }, name.value, onConflict);
  const merged = { ...theirs, name: name.value, columns };
  const has = (ids: readonly number[]) => ids.every((id) => columnById(merged, id) !== undefined);
  const indexes = chooseMembers(indexKey, base?.indexes ?? [], ours.indexes, theirs.indexes).filter(
    (index) => has(index.columns),
  );
  const foreignKeys = chooseMembers(
    foreignKeyKey,
    base?.foreignKeys ?? [],
    ours.foreignKeys,
    theirs.foreignKeys,
  ).filter((key) => has(key.columns));
  const sides = [ours, theirs];
  return {
    ...merged,
    indexes: indexes.map((index) => ({ ...index, name: indexName(merged, index, sides) })),
    foreignKeys: foreignKeys.map((key) => ({ ...key, name: foreignKeyName(merged, key, sides) })),
  };
}

/** The columns of the database in its order, then ours. */
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
      onConflict(`column ${table}.${theirColumn.name}: changed there, deleted here`);
      return [theirColumn];
    }
    return [];
  });
  const added = ours.columns.filter((mine) => {
    if (columnById(theirs, mine.id) !== undefined) return false;
    const before = inBase(mine.id);
    if (before === undefined) return true;
    if (!isSameColumn(before, mine)) {
      onConflict(`column ${table}.${mine.name}: deleted there, changed here`);
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
    onConflict(`column ${table}.${former}: named ${theirs.name} there, ${ours.name} here`);
  }
  const shape = choose(base, ours, theirs, isSameShape);
  const given = choose(base, ours, theirs, hasSameDefault);
  if (shape.isConflict || given.isConflict) {
    onConflict(`column ${table}.${name.value}: changed there and here, in different ways`);
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

function indexKey({ columns, unique }: Index): string {
  return `${columns.join(',')} ${unique}`;
}

function foreignKeyKey({ columns, refTable, refColumns, onDelete }: ForeignKey): string {
  return `${columns.join(',')} ${refTable} ${refColumns.join(',')} ${onDelete}`;
}

/** Generated names follow the names that tables and columns get. */
function indexName(merged: Table, index: Index, sides: readonly Table[]): string {
  const isGenerated = sides.some((side) =>
    side.indexes.some(
      (it) => it.name === index.name && it.name === nameIn(side, it.columns, it.unique),
    ),
  );
  return isGenerated ? nameIn(merged, index.columns, index.unique) : index.name;
}

function nameIn(table: Table, columns: readonly number[], unique: boolean): string {
  return generatedIndexName(table.name, namesIn(table, columns), unique);
}

function foreignKeyName(merged: Table, key: ForeignKey, sides: readonly Table[]): string {
  const generated = (table: Table, columns: readonly number[]) =>
    generatedForeignKeyName(table.name, namesIn(table, columns)[0] ?? '');
  const isGenerated = sides.some((side) =>
    side.foreignKeys.some((it) => it.name === key.name && it.name === generated(side, it.columns)),
  );
  return isGenerated && key.columns.length === 1 ? generated(merged, key.columns) : key.name;
}

function namesIn(table: Table, ids: readonly number[]): readonly string[] {
  return ids.map((id) => columnById(table, id)?.name ?? '');
}
