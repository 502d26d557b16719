/**
 * The one place where the rows that a statement may update or delete are found and admitted: by primary key, each at most once. Operators look up
 * many rows at a time, a compiled point statement one. A row policy would test the old row in `admitted` (USING), and the new one in
 * `row-change.ts` (WITH CHECK).
 */

import type { Pending, Steps } from '#base';
import type { Table } from '#catalog';
import { fail } from '#failure';
import { tableLayout } from '#layout';
import type { Row, Scalar } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import type { RowStore } from '../batch/row-store.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
import type { KeyedRow, NumberedRows } from './index-entries.ts';
import { keyOrder } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';

const noKey = Uint8Array.of(0);

/** Returns one row for each input row, in input order. If several input rows are invalid, the earliest one is reported. */
export function* findTargets(
  mutationContext: MutationContext,
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): Steps<NumberedRows> {
  const keys = yield* targetKeys(mutationContext, table, columnIndexes, input);
  const order = yield* keyOrder(mutationContext, keys);
  const decoder = new RowDecoder(table, table.columns);
  const rows: Row[] = new Array(keys.length);
  let missing = keys.length;
  yield* mutationContext.readAll(keys, order, (at, value) => {
    if (value === undefined) missing = Math.min(missing, at);
    else rows[at] = admitted(mutationContext, decoder.rowOfBody(keys[at] as Uint8Array, value));
  });
  const repeated = yield* earliestRepeated(mutationContext, keys, order);
  if (missing < keys.length && missing <= repeated) throw missingTarget(table, missing);
  if (repeated < keys.length) {
    const detail = `the input names the same row twice in table "${table.name}"`;
    const execution = { table: table.name };
    throw fail('mutation_target_ambiguous', detail, { execution, inputRow: repeated });
  }
  return { keys, rows };
}

/**
 * Returns the row with this key without waiting; undefined if it does not exist. If it is not in memory, returns a wait, after which the caller
 * calls again.
 */
export function findTarget(
  mutationContext: MutationContext,
  table: Table,
  key: Uint8Array,
): KeyedRow | undefined | Pending {
  const found = mutationContext.transaction.find(key);
  if (found === undefined || found instanceof Promise) return found;
  mutationContext.holdKey(key);
  const row = admitted(mutationContext, new RowDecoder(table, table.columns).rowOf(key, found));
  return { key, row };
}

/** Accounts the old row of a target and returns it. A row policy would hide rows here that the statement may not change. */
function admitted(mutationContext: MutationContext, row: Row): Row {
  mutationContext.hold(slotBytes + rowBytes(row));
  return row;
}

/** Returns the failure of a key that no row has. For `inputRow`, see `Failure`. */
export function missingTarget({ name: table }: Table, inputRow: number): Error {
  const detail = `target not found: table "${table}" has no row with this primary key`;
  return fail('mutation_target_not_found', detail, { execution: { table }, inputRow });
}

/** Returns the keys of the targets. A key with NULL becomes a key that no row has. */
function* targetKeys(
  mutationContext: MutationContext,
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): Steps<Uint8Array[]> {
  const layout = tableLayout(table);
  const members = layout.keyOrdinals.map(
    (ordinal) => input.columns[columnIndexes[ordinal] as number] as ChunkedColumn,
  );
  const values: Scalar[] = new Array(members.length);
  const keys: Uint8Array[] = [];
  for (let i = 0; i < input.length; i++) {
    for (let m = 0; m < members.length; m++)
      values[m] = valueAt(members[m] as ChunkedColumn, i) as Scalar;
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const key = values.includes(null) ? noKey : layout.keyOfValues(values);
    mutationContext.holdKey(key);
    keys.push(key);
  }
  return keys;
}

/** Returns the lowest row number whose key an earlier row has; `keys.length` if all keys are different. */
function* earliestRepeated(
  mutationContext: MutationContext,
  keys: readonly Uint8Array[],
  order: Uint32Array,
): Steps<number> {
  let earliest = keys.length;
  for (let i = 1; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const at = order[i] as number;
    const before = keys[order[i - 1] as number] as Uint8Array;
    if (Buffer.compare(before, keys[at] as Uint8Array) === 0) earliest = Math.min(earliest, at);
  }
  return earliest;
}
