/** Updates rows: assigns the supplied columns of the targets. */

import type { Steps } from '#base';
import type { Column, Table } from '#catalog';
import type { Row } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import type { RowStore } from '../batch/row-store.ts';
import { isIncrement, raiseMark } from './increment.ts';
import type { MutationContext } from './mutation-context.ts';
import { replaceRows, rowChange } from './row-change.ts';
import { findTargets } from './targets.ts';

interface Assignment {
  readonly ordinal: number;
  readonly column: Column;
  readonly values: ChunkedColumn;
}

/** Returns the new rows, in input order. */
export function* updateRows(
  mutationContext: MutationContext,
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): Steps<readonly Row[]> {
  const before = yield* findTargets(mutationContext, table, columnIndexes, input);
  const assignments = assignmentsOf(table, columnIndexes, input);
  for (const { column, values } of assignments) {
    if (isIncrement(column)) yield* raiseMark(mutationContext, table, column, values);
  }
  const rows = yield* assignedRows(mutationContext, before.rows, assignments);
  const assigned = new Set(assignments.map(({ column }) => column.id));
  yield* replaceRows(mutationContext, rowChange(table, assigned), before, rows);
  return rows;
}

/** Returns the supplied columns outside of the primary key, which only identifies the target. */
function assignmentsOf(
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): readonly Assignment[] {
  const assignments: Assignment[] = [];
  for (let ordinal = 0; ordinal < table.columns.length; ordinal++) {
    const column = table.columns[ordinal] as Column;
    const columnIndex = columnIndexes[ordinal] as number;
    if (columnIndex < 0 || table.primaryKey.includes(column.id)) continue;
    assignments.push({ ordinal, column, values: input.columns[columnIndex] as ChunkedColumn });
  }
  return assignments;
}

function* assignedRows(
  mutationContext: MutationContext,
  before: readonly Row[],
  assignments: readonly Assignment[],
): Steps<readonly Row[]> {
  mutationContext.holdArrays(before.length, before[0]?.length ?? 0);
  const rows: Row[] = [];
  for (let i = 0; i < before.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    rows.push(assignedRow(before[i] as Row, assignments, i));
  }
  return rows;
}

function assignedRow(row: Row, assignments: readonly Assignment[], i: number): Row {
  const copy = [...row];
  for (let a = 0; a < assignments.length; a++) {
    const { ordinal, values } = assignments[a] as Assignment;
    copy[ordinal] = valueAt(values, i);
  }
  return copy;
}
