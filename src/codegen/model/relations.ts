/** The relations of a table: along its foreign keys, back along those of other tables, and through tables that only join two others. */

import { type Column, columnById, type ForeignKey, type Table } from '#catalog';
import type { ModelRelation } from './client-model.ts';

interface Key extends ForeignKey {
  readonly from: Table;
  readonly to: Table;
}

export function relationsOf(tables: readonly Table[], table: Table): readonly ModelRelation[] {
  const keys = tables.flatMap((from) => from.foreignKeys.map((key) => keyOf(tables, from, key)));
  const named = byName(keys);
  return [
    ...named.filter((key) => key.from === table).map((key) => forward(tables, key)),
    ...named.filter((key) => key.to === table).map((key) => reverse(tables, keys, key)),
    ...named.flatMap((key) => through(tables, keys, table, key)),
  ];
}

function keyOf(tables: readonly Table[], from: Table, key: ForeignKey): Key {
  return { ...key, from, to: tables.find(({ id }) => id === key.refTable) as Table };
}

/** Sorts by name and then by table id, because key names are unique only within a table. */
function byName(keys: readonly Key[]): readonly Key[] {
  return [...keys].sort(
    (left, right) => compareTexts(left.name, right.name) || left.from.id - right.from.id,
  );
}

/** Compares by code units, so that the order is the same on every machine. */
function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function forward(tables: readonly Table[], key: Key): ModelRelation {
  const canBeNull = key.columns.some((id) => columnById(key.from, id)?.nullable);
  return {
    ...partsOf(tables, key),
    name: forwardName(key),
    direction: 'forward',
    kind: canBeNull ? 'maybe' : 'one',
    table: tables.indexOf(key.to),
    own: positions(key.from, key.columns),
    theirs: positions(key.to, key.refColumns),
    through: undefined,
  };
}

/** Returns `author` for the column `author_id`. For several columns or another ending, it returns the name of the referenced table. */
function forwardName({ from, to, columns }: Key): string {
  const name = columns.length === 1 ? (columnById(from, columns[0] as number) as Column).name : '';
  return name.endsWith('_id') && name.length > 3 ? name.slice(0, -3) : to.name;
}

function reverse(tables: readonly Table[], keys: readonly Key[], key: Key): ModelRelation {
  const siblings = keys.filter(({ from, to }) => from === key.from && to === key.to);
  const isPlain = siblings.length === 1 && key.from !== key.to;
  return {
    ...partsOf(tables, key),
    name: isPlain ? key.from.name : `${key.from.name}_by_${forwardName(key)}`,
    direction: 'reverse',
    kind: isUnique(key.from, key.columns) ? 'maybe' : 'many',
    table: tables.indexOf(key.from),
    own: positions(key.to, key.refColumns),
    theirs: positions(key.from, key.columns),
    through: undefined,
  };
}

/** Returns whether the columns include all columns of a unique key. */
function isUnique({ primaryKey, indexes }: Table, columns: readonly number[]): boolean {
  const unique = indexes.filter((index) => index.unique).map((index) => index.columns);
  return [primaryKey, ...unique].some((key) => key.every((id) => columns.includes(id)));
}

/**
 * Returns the relations through a join table. Its primary key consists of exactly the columns of `key`, which leads back to `table`, and those of another key,
 * which leads on.
 */
function through(
  tables: readonly Table[],
  keys: readonly Key[],
  table: Table,
  key: Key,
): readonly ModelRelation[] {
  if (key.to !== table) return [];
  const between = key.from;
  return keys
    .filter((far) => far.from === between && far.name !== key.name)
    .filter((far) => isExactly(between.primaryKey, [...key.columns, ...far.columns]))
    .map((far) => ({
      ...partsOf(tables, key),
      name: far.to === table ? `${far.to.name}_by_${forwardName(far)}` : far.to.name,
      direction: 'through',
      kind: 'many',
      table: tables.indexOf(far.to),
      own: positions(table, key.refColumns),
      theirs: positions(far.to, far.refColumns),
      through: {
        table: tables.indexOf(between),
        own: positions(between, key.columns),
        theirs: positions(between, far.columns),
      },
    }));
}

function isExactly(primaryKey: readonly number[], columns: readonly number[]): boolean {
  return columns.length === primaryKey.length && primaryKey.every((id) => columns.includes(id));
}

function partsOf(tables: readonly Table[], key: Key) {
  return { key: key.name, keyTable: tables.indexOf(key.from) };
}

function positions({ columns }: Table, ids: readonly number[]): readonly number[] {
  return ids.map((id) => columns.findIndex((column) => column.id === id));
}
