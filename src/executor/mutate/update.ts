/** update: assigns the supplied columns of rows found by primary key. */

import type { Steps } from '#base';
import { type Column, type Table, writeProtocol } from '#catalog';
import { tableLayout } from '#layout';
import type { Row } from '#value';
import { type Pieces, valueAt } from '../batch/pieces.ts';
import type { RowStore } from '../batch/row-store.ts';
import { isIncrement, raiseMark } from './increment.ts';
import { reindexRows } from './indexes.ts';
import { checkReferences } from './references.ts';
import { clearViolations, shadowed } from './shadows.ts';
import { findTargets } from './targets.ts';
import { storedValues } from './values.ts';
import type { Writing } from './writing.ts';

interface Assignment {
  readonly ordinal: number;
  readonly column: Column;
  readonly values: Pieces;
}

/** Returns the new rows, in input order. */
export function* updateRows(
  writing: Writing,
  table: Table,
  slots: readonly number[],
  input: RowStore,
): Steps<readonly Row[]> {
  const before = yield* findTargets(writing, table, slots, input);
  const assignments = yield* assignmentsOf(writing, table, slots, input);
  for (const { column, values } of assignments) {
    if (isIncrement(column)) yield* raiseMark(writing, table, column, values);
  }
  const rows = yield* assignedRows(writing, before.rows, assignments);
  const changed = new Set(assignments.map(({ column }) => column.id));
  const layout = tableLayout(table);
  for (let i = 0; i < rows.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    writing.put(
      before.keys[i] as Uint8Array,
      layout.bodyOfRow(shadowed(table, rows[i] as Row, changed, i)),
    );
  }
  writing.account();
  yield* clearViolations(writing, table, before.keys, changed);
  yield* reindexRows(writing, table, changed, before, rows);
  for (const key of writeProtocol(table).foreignKeys) {
    if (key.columns.some((id) => changed.has(id)))
      yield* checkReferences(writing, table, key, rows);
  }
  return rows;
}

/** The supplied columns outside of the primary key, which only identifies. */
function* assignmentsOf(
  writing: Writing,
  table: Table,
  slots: readonly number[],
  input: RowStore,
): Steps<readonly Assignment[]> {
  const assignments: Assignment[] = [];
  for (let ordinal = 0; ordinal < table.columns.length; ordinal++) {
    const column = table.columns[ordinal] as Column;
    const slot = slots[ordinal] as number;
    if (slot < 0 || table.primaryKey.includes(column.id)) continue;
    const stored = storedValues(writing, table, column, input.columns[slot] as Pieces);
    const values = Array.isArray(stored) ? stored : yield* stored;
    assignments.push({ ordinal, column, values });
  }
  return assignments;
}

function* assignedRows(
  writing: Writing,
  before: readonly Row[],
  assignments: readonly Assignment[],
): Steps<readonly Row[]> {
  writing.holdArrays(before.length, before[0]?.length ?? 0);
  const rows: Row[] = [];
  for (let i = 0; i < before.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    rows.push(assigned(before[i] as Row, assignments, i));
  }
  return rows;
}

function assigned(row: Row, assignments: readonly Assignment[], i: number): Row {
  const copy = [...row];
  for (let a = 0; a < assignments.length; a++) {
    const { ordinal, values } = assignments[a] as Assignment;
    copy[ordinal] = valueAt(values, i);
  }
  return copy;
}
