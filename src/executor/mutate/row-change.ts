/**
 * The one place where changed rows are checked and written: every row that a statement creates, updates or deletes, from operators and from
 * compiled point statements alike, and every row that a foreign key removes or sets to NULL. The policy of the statement tests new rows when
 * their values are complete, and before any key is looked up.
 *
 * A single row is written without waits. Work that might have to wait is in the steps that are returned.
 */

import type { Steps } from '#base';
import { type Column, type ForeignKey, type Table, writeProtocol } from '#catalog';
import { checkRowKey, type IndexLayout, indexLayout, type TableLayout, tableLayout } from '#layout';
import type { QueryPlan } from '#planner';
import type { Datum, Row } from '#value';
import type { Sequence } from '../batch/long-list.ts';
import { changeRows, enterRows, leaveRows } from './building-entries.ts';
import {
  addEntries,
  type ChangedRows,
  changeEntries,
  type KeyedRow,
  type NumberedRows,
  newEntries,
  removeEntries,
} from './index-entries.ts';
import type { MutationContext } from './mutation-context.ts';
import { requirePermitted, requiresNoOperators } from './policies.ts';
import { checkReferences } from './references.ts';
import { clearViolations, shadowed } from './replacement-columns.ts';
import { existing, putNewRows } from './row-entries.ts';
import { UniqueEntries } from './unique-entries.ts';
import { storedValue, takesNull } from './values.ts';

/** A change of rows of a table, by one statement or by one foreign key. */
export interface RowChange {
  readonly table: Table;
  readonly layout: TableLayout;
  /** Schema ids of the columns that are assigned; undefined for all columns, of rows that are created or removed. */
  readonly assigned: ReadonlySet<number> | undefined;
  /** The assigned columns that do not accept every value of their type unchanged. */
  readonly checked: readonly CheckedColumn[];
  /** Indexes with an assigned column: the active ones (`indexes`), and those that are being built (`building`). */
  readonly indexes: readonly IndexLayout[];
  readonly building: readonly IndexLayout[];
  /** Foreign keys with an assigned column, which a new row has to satisfy. */
  readonly foreignKeys: readonly ForeignKey[];
  /** Whether the rows are those of the input, so that a failure can report the number of a row. */
  readonly isOfInput: boolean;
  /** Whether columns or indexes of the table are being built, or its rows are being validated. */
  readonly isInTransition: boolean;
  /** The policy that new rows must satisfy; absent if it permits all, or if they were tested before. */
  readonly policy?: QueryPlan | undefined;
}

interface CheckedColumn {
  readonly column: Column;
  readonly ordinal: number;
  readonly takesNull: boolean;
}

export function rowChange(table: Table, assigned?: ReadonlySet<number>): RowChange {
  const { building, foreignKeys, shadows, violations } = writeProtocol(table);
  const isTouched = ({ columns }: { readonly columns: readonly number[] }) =>
    assigned === undefined || columns.some((id) => assigned.has(id));
  return {
    table,
    layout: tableLayout(table),
    assigned,
    checked: table.columns.flatMap((column, ordinal) => {
      const isFree = takesNull(table, column) && column.type !== 'bytes';
      if (isFree || assigned?.has(column.id) === false) return [];
      return { column, ordinal, takesNull: takesNull(table, column) };
    }),
    indexes: table.indexes.filter(isTouched).map((index) => indexLayout(table, index)),
    building: building.filter(isTouched).map((index) => indexLayout(table, index)),
    foreignKeys: foreignKeys.filter(isTouched),
    isOfInput: true,
    isInTransition: building.length + shadows.length + violations.length > 0,
  };
}

/** Returns the change of rows whose foreign key is set to NULL. NULL exempts them from each foreign key that has one of its columns. */
export function clearingChange(table: Table, cleared: ReadonlySet<number>): RowChange {
  return { ...rowChange(table, cleared), foreignKeys: [], isOfInput: false };
}

/** Creates rows in catalog order. The formats of their columns are applied to the rows in place. */
export function* insertRows(
  mutationContext: MutationContext,
  change: RowChange,
  rows: Sequence<Row>,
): Steps<void> {
  yield* checkNewRows(mutationContext, change, rows);
  const added = { run: yield* putNewRows(mutationContext, change.table, rows), rows };
  mutationContext.account();
  for (const index of change.indexes) yield* addEntries(mutationContext, index, added);
  for (const index of change.building) yield* enterRows(mutationContext, index, added);
  yield* checkAllReferences(mutationContext, change, rows);
}

export function insertRow(
  mutationContext: MutationContext,
  change: RowChange,
  row: Row,
): Steps<void> | undefined {
  const { table, layout, indexes, foreignKeys } = change;
  if (change.isInTransition) return insertRows(mutationContext, change, [row]);
  if (!checkNewRow(mutationContext, change, row)) {
    return insertRows(mutationContext, change, [row]);
  }
  const key = layout.keyOfRow(row);
  checkRowKey(layout, key.length);
  mutationContext.holdKey(key);
  const present = mutationContext.transaction.get(key);
  if (present instanceof Promise) return insertRows(mutationContext, change, [row]);
  if (present !== undefined) throw existing(table, 0);
  const entries = newEntries(mutationContext, indexes, row, key);
  if (entries === undefined) return insertRows(mutationContext, change, [row]);
  mutationContext.put(key, layout.bodyOfRow(row));
  for (const entry of entries) mutationContext.put(entry.key, entry.value);
  mutationContext.account();
  return foreignKeys.length === 0 ? undefined : checkAllReferences(mutationContext, change, [row]);
}

/**
 * Replaces the rows with the same numbers and keys; formats are applied as for new rows. The caller finishes `unique` once all rows of the
 * statement are replaced.
 */
export function* replaceRows(
  mutationContext: MutationContext,
  change: RowChange,
  changed: ChangedRows,
  unique: UniqueEntries,
): Steps<void> {
  const { before, after } = changed;
  yield* checkNewRows(mutationContext, change, after);
  for (let i = 0; i < after.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    mutationContext.put(before.keys[i] as Uint8Array, bodyOf(change, after[i] as Row, i));
  }
  mutationContext.account();
  yield* followReplaced(mutationContext, change, changed, unique);
}

/** Like `replaceRows`, for one row. */
export function replaceRow(
  mutationContext: MutationContext,
  change: RowChange,
  { key, row: before }: KeyedRow,
  after: Row,
): Steps<void> | undefined {
  if (!checkNewRow(mutationContext, change, after)) {
    const changed = { before: { keys: [key], rows: [before] }, after: [after] };
    return replaceOne(mutationContext, change, changed);
  }
  mutationContext.put(key, bodyOf(change, after, 0));
  mutationContext.account();
  const { indexes, foreignKeys, isInTransition } = change;
  if (indexes.length + foreignKeys.length === 0 && !isInTransition) return undefined;
  return followOne(mutationContext, change, {
    before: { keys: [key], rows: [before] },
    after: [after],
  });
}

function* replaceOne(
  mutationContext: MutationContext,
  change: RowChange,
  changed: ChangedRows,
): Steps<void> {
  const unique = new UniqueEntries(mutationContext, 1);
  yield* replaceRows(mutationContext, change, changed, unique);
  yield* unique.finish(firstRow);
}

function* followOne(
  mutationContext: MutationContext,
  change: RowChange,
  changed: ChangedRows,
): Steps<void> {
  const unique = new UniqueEntries(mutationContext, 1);
  yield* followReplaced(mutationContext, change, changed, unique);
  yield* unique.finish(firstRow);
}

// biome-ignore lint/correctness/useYield: the number is known.
function* firstRow(): Steps<number> {
  return 0;
}

/** Removes rows with their entries. Rows that refer to them are not checked: see `on-delete/cascade-rounds.ts`. */
export function* removeRows(
  mutationContext: MutationContext,
  change: RowChange,
  removed: NumberedRows,
): Steps<void> {
  const { keys } = removed;
  for (let i = 0; i < keys.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    mutationContext.delete(keys[i] as Uint8Array);
  }
  yield* clearViolations(mutationContext, change.table, keys);
  for (const index of change.indexes) yield* removeEntries(mutationContext, index, removed);
  for (const index of change.building) yield* leaveRows(mutationContext, index, removed);
}

export function removeRow(
  mutationContext: MutationContext,
  change: RowChange,
  { key, row }: KeyedRow,
): Steps<void> | undefined {
  if (change.isInTransition)
    return removeRows(mutationContext, change, { keys: [key], rows: [row] });
  mutationContext.delete(key);
  for (const layout of change.indexes) mutationContext.delete(layout.entry(row, key).key);
  mutationContext.account();
  return undefined;
}

/** Checks new rows, which must be complete, with defaults and increments: their values, then the policy. */
export function* checkNewRows(
  mutationContext: MutationContext,
  change: RowChange,
  rows: Sequence<Row>,
): Steps<void> {
  yield* checkRows(mutationContext, change, rows);
  const { table, policy } = change;
  if (policy !== undefined) yield* requirePermitted(mutationContext, table, policy, rows);
}

/**
 * Checks the values of new rows, which must be complete, with defaults and increments. Works column by column, so that the first column that
 * refuses a value is reported.
 */
function* checkRows(
  mutationContext: MutationContext,
  change: RowChange,
  rows: Sequence<Row>,
): Steps<void> {
  for (const column of change.checked) {
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const pause = mutationContext.pause(checksOfRows);
      if (pause !== undefined) yield pause;
      checkCells(change, column, rows, from);
    }
  }
}

/** Checks the column in `rowsAtOnce` rows. The loop is compiled, unlike a loop that yields. */
function checkCells(
  change: RowChange,
  checked: CheckedColumn,
  rows: Sequence<Row>,
  from: number,
): void {
  const { column, ordinal } = checked;
  const takesAll = column.type !== 'bytes';
  const to = Math.min(rows.length, from + rowsAtOnce);
  for (let i = from; i < to; i++) {
    const row = rows.at(i) as Row;
    if (takesAll && row[ordinal] !== null) continue;
    checkCell(change, checked, row, i);
  }
}

/** Checking `rowsAtOnce` cells takes about as long as processing `checksOfRows` rows. */
const rowsAtOnce = 512;
const checksOfRows = 8;

/** Like `checkNewRows`, for one row, without a wait. Returns false if operators have to test the policy. */
function checkNewRow(mutationContext: MutationContext, change: RowChange, row: Row): boolean {
  const { table, policy } = change;
  for (const column of change.checked) checkCell(change, column, row, 0);
  return policy === undefined || requiresNoOperators(mutationContext, table, policy, row);
}

/** `at` is the row number. */
function checkCell(
  { table, isOfInput }: RowChange,
  { column, ordinal, takesNull }: CheckedColumn,
  row: Row,
  at: number,
): void {
  const value = row[ordinal] as Datum;
  if (value !== null && column.type !== 'bytes') return;
  if (value === null && takesNull) return;
  const stored = storedValue(table, column, value, isOfInput ? at : undefined);
  if (stored !== value) (row as Datum[])[ordinal] = stored;
}

/** `at` is the row number. */
function bodyOf(change: RowChange, row: Row, at: number): Uint8Array {
  const { table, layout, assigned, isOfInput, isInTransition } = change;
  if (!isInTransition) return layout.bodyOfRow(row);
  return layout.bodyOfRow(shadowed(table, row, assigned, isOfInput ? at : undefined));
}

function* followReplaced(
  mutationContext: MutationContext,
  change: RowChange,
  changed: ChangedRows,
  unique: UniqueEntries,
): Steps<void> {
  const { before, after } = changed;
  yield* clearViolations(mutationContext, change.table, before.keys, change.assigned);
  for (const index of change.indexes) {
    yield* changeEntries(mutationContext, index, changed, unique);
  }
  for (const index of change.building) yield* changeRows(mutationContext, index, before, after);
  yield* checkAllReferences(mutationContext, change, after);
}

/** Checks the foreign keys of the change for new rows. */
export function* checkAllReferences(
  mutationContext: MutationContext,
  { table, foreignKeys }: RowChange,
  rows: Sequence<Row>,
): Steps<void> {
  for (const key of foreignKeys) yield* checkReferences(mutationContext, table, key, rows);
}
