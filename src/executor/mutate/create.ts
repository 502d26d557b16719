/** Creates rows: derives all of them from the input and from defaults. */

import type { Steps } from '#base';
import type { Column, Table } from '#catalog';
import type { MutationPolicies } from '#planner';
import type { Row } from '#value';
import { createDependent } from './create-dependent.ts';
import { derivedColumns, numberedOrdinals, rowsOf } from './derived-columns.ts';
import { allocate, isIncrement } from './increment.ts';
import { allAtOnce, eachChunk, isOneChunk } from './input-chunks.ts';
import type { MutationContext } from './mutation-context.ts';
import { insertRows, rowChange } from './row-change.ts';
import type { NamedRows } from './target-keys.ts';
import type { RowSink } from './targets.ts';

/** Passes the new rows, in catalog order, to `written`. */
export function* createRows(
  mutationContext: MutationContext,
  named: NamedRows,
  written: RowSink,
  { after: policy }: MutationPolicies,
): Steps<void> {
  const { table, input, ordered } = named;
  const numbered = numberedOrdinals(named);
  const areRanked = numbered.length > 0 && !ordered;
  // The policy tests all rows before the first one is written.
  const areDependent = areRanked || referencesItself(table) || policy !== undefined;
  if (areDependent && !isOneChunk(mutationContext, input)) {
    yield* createDependent(mutationContext, named, written, policy);
    return;
  }
  const change = { ...rowChange(table), policy };
  const each = areDependent ? allAtOnce : eachChunk;
  yield* each(mutationContext, input, function* (chunk) {
    const vectors = yield* derivedColumns(mutationContext, named, chunk);
    for (const ordinal of numbered) yield* allocate(mutationContext, named, ordinal, vectors);
    const rows = yield* rowsOf(mutationContext, vectors, chunk.length);
    yield* insertRows(mutationContext, change, rows);
    yield* written(rows);
  });
}

/** Returns whether a row may reference a row that follows it in the input. */
function referencesItself({ id, foreignKeys }: Table): boolean {
  return foreignKeys.some(({ refTable }) => refTable === id);
}

/**
 * Returns the rows of the program if they can be stored unchanged: every column is supplied, in catalog order, and no value is converted. Copying
 * them to columns and back to rows would need twice their memory. Returns undefined for other inputs.
 */
export function givenRows(
  table: Table,
  columnIndexes: readonly number[],
  rows: readonly Row[],
): readonly Row[] | undefined {
  const { columns } = table;
  for (let c = 0; c < columns.length; c++) {
    const column = columns[c] as Column;
    if (columnIndexes[c] !== c || column.type === 'bytes' || isIncrement(column)) return undefined;
  }
  if (rows.length > 0 && (rows[0] as Row).length !== columns.length) return undefined;
  return rows;
}
