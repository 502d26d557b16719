/** Converts definitions of indexes and foreign keys to records, by the rules of docs/pir.md §6. */

import { fail } from '#failure';
import type { ForeignKeyDefinition, IndexDefinition } from '../definition.ts';
import { requireFew } from '../limits.ts';
import { columnByName, columnNames, columnsOf } from '../lookup.ts';
import type { Table } from '../table.ts';
import type { Column, ForeignKey, Index } from '../table-parts.ts';
import { pendingForeignKeys, pendingIndexes } from '../transition/transition.ts';
import { requireName } from './name.ts';

/** Returns the columns of these names, in their order. `what` names the index or key in errors. */
export function resolveColumns(
  table: Table,
  names: readonly string[],
  what: string,
): readonly Column[] {
  if (names.length === 0) throw fail('invalid', `${what} must contain at least one column`);
  requireFew(what, names.length, 'keyColumns');
  const columns = names.map((name) => {
    const column = columnByName(table, name);
    if (column !== undefined) return column;
    throw fail('invalid', `${what} names the unknown column "${name}" of table "${table.name}"`);
  });
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) throw fail('invalid', `${what} names the column "${repeated}" twice`);
  return columns;
}

export function indexRecord(
  table: Table,
  definition: IndexDefinition,
  physicalId: () => number,
): Index {
  const { name } = definition;
  requireName(name, 'index');
  if (table.indexes.some((index) => index.name === name)) {
    throw fail(
      'invalid',
      `duplicate index name: table "${table.name}" already has an index "${name}"`,
    );
  }
  const pending = pendingIndexes(table.transitions);
  requireUnreserved(pending, name, 'index');
  requireFew(`table "${table.name}"`, table.indexes.length + pending.length + 1, 'indexes');
  const columns = resolveColumns(table, definition.columns, `index "${name}"`);
  return {
    name,
    physicalId: physicalId(),
    columns: columns.map((column) => column.id),
    unique: definition.unique ?? false,
  };
}

/** Converts a foreign key definition. `refTable` is the table that its `ref_table` names; `undefined` if that table does not exist. */
export function foreignKeyRecord(
  table: Table,
  refTable: Table | undefined,
  definition: ForeignKeyDefinition,
  physicalId: () => number,
  typesAreChecked: 'now' | 'later' = 'now',
): ForeignKey {
  const { name } = definition;
  requireName(name, 'foreign key');
  if (table.foreignKeys.some((key) => key.name === name)) {
    throw fail(
      'invalid',
      `duplicate foreign key name: table "${table.name}" already has a foreign key "${name}"`,
    );
  }
  const pending = pendingForeignKeys(table.transitions);
  requireUnreserved(pending, name, 'foreign key');
  const keys = table.foreignKeys.length + pending.length + 1;
  requireFew(`table "${table.name}"`, keys, 'foreignKeys');
  if (refTable === undefined) {
    throw fail(
      'invalid',
      `foreign key "${name}" references the unknown table "${definition.ref_table}"`,
    );
  }
  const columns = resolveColumns(table, definition.columns, `foreign key "${name}"`);
  requireWholeKey(refTable, definition);
  const onDelete = definition.on_delete ?? 'restrict';
  const refColumns = refTable.primaryKey;
  const key = { name, columns: columns.map((column) => column.id), refTable: refTable.id };
  if (typesAreChecked === 'now') {
    const trouble = typeTrouble(table, refTable, { ...key, refColumns });
    if (trouble !== undefined) throw fail('invalid', trouble);
  }
  if (onDelete === 'set_null') requireClearable(table, columns, name);
  return { ...key, physicalId: physicalId(), refColumns, onDelete };
}

function requireWholeKey(refTable: Table, definition: ForeignKeyDefinition): void {
  const { name, columns, ref_columns: refColumns } = definition;
  const key = columnNames(refTable, refTable.primaryKey);
  if (refColumns.length !== key.length || key.some((column, i) => column !== refColumns[i])) {
    throw fail(
      'invalid',
      `foreign key "${name}" must reference the whole primary key of table "${refTable.name}" in order: ${key.map((column) => `"${column}"`).join(', ')}`,
    );
  }
  if (columns.length !== key.length) {
    throw fail(
      'invalid',
      `foreign key "${name}" has ${columns.length} columns and references ${key.length}`,
    );
  }
}

/** Returns an error text if a column of a foreign key has another type than the column that it references; `undefined` if all types are equal. */
export function typeTrouble(
  table: Table,
  refTable: Table,
  { name, columns, refColumns }: Pick<ForeignKey, 'name' | 'columns' | 'refColumns'>,
): string | undefined {
  const targets = columnsOf(refTable, refColumns);
  const at = columnsOf(table, columns).findIndex(({ type }, i) => type !== targets[i]?.type);
  const [column, target] = [columnsOf(table, columns)[at], targets[at]];
  if (column === undefined || target === undefined) return undefined;
  return `foreign key "${name}": column "${column.name}" is ${column.type}, the referenced column "${target.name}" is ${target.type}`;
}

function requireUnreserved(
  pending: readonly { readonly name: string }[],
  name: string,
  what: string,
): void {
  if (pending.every((other) => other.name !== name)) return;
  throw fail('invalid', `duplicate ${what} name: a transition is creating the ${what} "${name}"`);
}

/** Throws if a column cannot become NULL, as `set_null` requires. */
function requireClearable(table: Table, columns: readonly Column[], name: string): void {
  for (const column of columns) {
    if (table.primaryKey.includes(column.id)) {
      throw fail(
        'invalid',
        `foreign key "${name}": set_null cannot clear the primary key column "${column.name}"`,
      );
    }
    if (!column.nullable) {
      throw fail(
        'invalid',
        `foreign key "${name}": set_null needs the column "${column.name}" to be nullable`,
      );
    }
  }
}
