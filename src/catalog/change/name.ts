/** Names: the rules that a name must satisfy (docs/schema.md), and the generated names of indexes and keys. */

import { fail } from '#failure';
import { compareText } from '#value';
import { catalogLimits } from '../limits.ts';
import { columnNames } from '../lookup.ts';
import type { Table } from '../table.ts';
import type { ForeignKey, Index } from '../table-parts.ts';
import { pendingForeignKeys, pendingIndexes, type Transition } from '../transition/transition.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Throws if the name is not valid. `what` is the kind of name: `table`, `column`, `index`, `foreign key` or `format`. */
export function requireName(name: string, what: string): void {
  const trouble = nameTrouble(name);
  if (trouble !== undefined) throw fail('invalid', `invalid ${what} name: ${trouble}`);
}

/** Returns the rule that the name breaks; `undefined` if the name is valid. */
export function nameTrouble(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (!name.isWellFormed()) return 'it is not well-formed Unicode';
  if (control.test(name)) return 'it contains a control character';
  const bytes = Buffer.byteLength(name);
  const { nameBytes } = catalogLimits;
  return bytes > nameBytes ? `it has ${bytes} bytes, at most ${nameBytes} are allowed` : undefined;
}

/** Returns `<table>_<columns>_uq` or `<table>_<columns>_idx`. */
export function generatedIndexName(
  table: string,
  columns: readonly string[],
  unique: boolean,
): string {
  return `${table}_${columns.join('_')}_${unique ? 'uq' : 'idx'}`;
}

/** Returns `<table>_<column>_fk`, for keys of one column. */
export function generatedForeignKeyName(table: string, column: string): string {
  return `${table}_${column}_fk`;
}

/** Returns `<table>_<column>_not_null`, the name of the validation that makes a column not nullable. */
export function generatedNotNullName(table: string, column: string): string {
  return `${table}_${column}_not_null`;
}

/** Adapts the generated names after a rename. `after` is `before` with another table name or column name. */
export function followRename(before: Table, after: Table): Table {
  const indexes = after.indexes.map((index) => {
    if (index.name !== indexNameIn(before, index)) return index;
    return { ...index, name: indexNameIn(after, index) };
  });
  const foreignKeys = after.foreignKeys.map((key) => followed(before, after, key));
  const transitions = after.transitions?.map((one) => followedBy(before, after, one));
  requireFollowed(
    [...after.indexes, ...pendingIndexes(after.transitions)],
    [...indexes, ...pendingIndexes(transitions)],
    'index',
  );
  requireFollowed(
    [...after.foreignKeys, ...pendingForeignKeys(after.transitions)],
    [...foreignKeys, ...pendingForeignKeys(transitions)],
    'foreign key',
  );
  return {
    ...after,
    indexes: sortedByName(indexes),
    foreignKeys: sortedByName(foreignKeys),
    ...(transitions && { transitions }),
  };
}

function followed(before: Table, after: Table, key: ForeignKey): ForeignKey {
  if (key.name !== keyNameIn(before, key)) return key;
  return { ...key, name: keyNameIn(after, key) as string };
}

/** Adapts the generated name of an object that a transition is creating. */
function followedBy(before: Table, after: Table, transition: Transition): Transition {
  if (transition.kind === 'index_build') {
    const { index } = transition;
    if (index.name !== indexNameIn(before, index)) return transition;
    return { ...transition, index: { ...index, name: indexNameIn(after, index) } };
  }
  if (transition.kind !== 'constraint_validation') return transition;
  const { constraint, name } = transition;
  if (constraint.kind === 'not_null') {
    const [from, to] = [before, after].map((table) => notNullNameIn(table, constraint.column));
    return name === from ? { ...transition, name: to as string } : transition;
  }
  const foreignKey = followed(before, after, constraint.foreignKey);
  const isNamedAlike = name === constraint.foreignKey.name;
  return {
    ...transition,
    name: isNamedAlike ? foreignKey.name : name,
    constraint: { ...constraint, foreignKey },
  };
}

function notNullNameIn(table: Table, column: number): string {
  return generatedNotNullName(table.name, columnNames(table, [column])[0] as string);
}

function indexNameIn(table: Table, index: Index): string {
  return generatedIndexName(table.name, columnNames(table, index.columns), index.unique);
}

function keyNameIn(table: Table, key: ForeignKey): string | undefined {
  const [column, ...others] = columnNames(table, key.columns);
  if (column === undefined || others.length > 0) return undefined;
  return generatedForeignKeyName(table.name, column);
}

interface Named {
  readonly name: string;
}

function requireFollowed(before: readonly Named[], after: readonly Named[], what: string): void {
  const names = new Set<string>();
  after.forEach(({ name }, i) => {
    const from = before[i]?.name;
    if (name !== from) requireName(name, `generated ${what}`);
    if (names.has(name)) {
      throw fail(
        'invalid',
        `the generated ${what} name "${name}" would collide with another ${what}`,
      );
    }
    names.add(name);
  });
}

/** Sorts by the bytes of the names. */
export function sortedByName<Item extends Named>(items: readonly Item[]): readonly Item[] {
  return [...items].sort((left, right) => compareText(left.name, right.name));
}
