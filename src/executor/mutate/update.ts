/** Updates rows: assigns the supplied columns of the targets. */

import type { Steps } from '#base';
import type { Column, Table } from '#catalog';
import type { MutationPolicies } from '#planner';
import type { Row } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import type { RowStore } from '../batch/row-store.ts';
import { isIncrement, raiseMark } from './increment.ts';
import type { NumberedRows } from './index-entries.ts';
import type { MutationContext } from './mutation-context.ts';
import { checkNewRows, replaceRows, rowChange } from './row-change.ts';
import type { NamedRows } from './target-keys.ts';
import { eachTarget, type RowSink, rowNumber, testedAhead } from './targets.ts';
import { UniqueEntries } from './unique-entries.ts';

interface Assignment {
  readonly ordinal: number;
  readonly column: Column;
  readonly columnIndex: number;
}

/** Passes the new rows to `written`. */
export function* updateRows(
  mutationContext: MutationContext,
  named: NamedRows,
  written: RowSink,
  policies: MutationPolicies,
): Steps<void> {
  const { table, columnIndexes, input } = named;
  const assignments = assignmentsOf(table, columnIndexes);
  const change = rowChange(table, new Set(assignments.map(({ column }) => column.id)));
  const assigned = (before: NumberedRows, chunk: RowStore) =>
    assignedRows(mutationContext, before.rows, assignments, chunk);
  const left = yield* testedAhead(mutationContext, named, policies, function* (before, chunk) {
    const tested = { ...change, policy: policies.after };
    yield* checkNewRows(mutationContext, tested, yield* assigned(before, chunk));
  });
  const applied = { ...change, policy: left.after };
  const unique = new UniqueEntries(mutationContext, input.length);
  yield* eachTarget(mutationContext, { ...named, policy: left.before }, function* (before, chunk) {
    for (const { column, columnIndex } of assignments) {
      if (!isIncrement(column)) continue;
      yield* raiseMark(mutationContext, table, column, valuesAt(chunk, columnIndex));
    }
    const after = yield* assigned(before, chunk);
    yield* replaceRows(mutationContext, applied, { before, after }, unique);
    yield* written(after);
  });
  yield* unique.finish((key) => rowNumber(mutationContext, named, key));
}

/** Returns the supplied columns outside of the primary key, which only identifies the target. */
function assignmentsOf(table: Table, columnIndexes: readonly number[]): readonly Assignment[] {
  const assignments: Assignment[] = [];
  for (let ordinal = 0; ordinal < table.columns.length; ordinal++) {
    const column = table.columns[ordinal] as Column;
    const columnIndex = columnIndexes[ordinal] as number;
    if (columnIndex < 0 || table.primaryKey.includes(column.id)) continue;
    assignments.push({ ordinal, column, columnIndex });
  }
  return assignments;
}

function valuesAt(chunk: RowStore, columnIndex: number): ChunkedColumn {
  return chunk.columns[columnIndex] as ChunkedColumn;
}

function* assignedRows(
  mutationContext: MutationContext,
  before: readonly Row[],
  assignments: readonly Assignment[],
  chunk: RowStore,
): Steps<readonly Row[]> {
  mutationContext.holdArrays(before.length, before[0]?.length ?? 0);
  const values = assignments.map(({ columnIndex }) => valuesAt(chunk, columnIndex));
  const rows: Row[] = [];
  for (let i = 0; i < before.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const row = [...(before[i] as Row)];
    for (let a = 0; a < assignments.length; a++) {
      row[(assignments[a] as Assignment).ordinal] = valueAt(values[a] as ChunkedColumn, i);
    }
    rows.push(row);
  }
  return rows;
}
