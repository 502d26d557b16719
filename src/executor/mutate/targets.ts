/**
 * The one place where the rows that a statement may update or delete are found and admitted: by primary key, each at most once. Operators look up
 * many rows at a time, a compiled point statement one. A row policy would test the old row in `admitted` (USING), and the new one in
 * `row-change.ts` (WITH CHECK).
 */

import { ByteReader, compareBytes, equalBytes, type Pending, type Steps } from '#base';
import type { Table } from '#catalog';
import { DatabaseError, fail } from '#failure';
import { tableLayout } from '#layout';
import type { Row, Scalar } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import { rowBytes } from '../batch/datum-bytes.ts';
import type { Sequence } from '../batch/long-list.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import { type RowStore, rowAt } from '../batch/row-store.ts';
import type { Datums } from '../batch/vector.ts';
import { BatchDecoder } from '../operators/scan/batch-decoder.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
import type { RowList } from '../spill/row-list.ts';
import { EntrySort } from './entry-sort.ts';
import type { KeyedRow, NumberedRows } from './index-entries.ts';
import { eachChunk, inInput } from './input-chunks.ts';
import { keyOrder, ownOrder } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';

const noKey = Uint8Array.of(0);
/** The part of the share of an operator that the keys of all targets may take while they are compared. */
const partOfShare = 1 / 2;

/** An input that names rows of a table. */
export interface NamedRows {
  readonly table: Table;
  /** For each column of the table, the index of the input column that supplies it, or -1. */
  readonly columnIndexes: readonly number[];
  readonly input: RowList;
}

/** Receives the rows that a mutation returns, in any number of parts. */
export type RowSink = (rows: Sequence<Row>) => Steps<void>;

/** Writes the change of some targets; `chunk` contains their input rows. */
type Change = (targets: NumberedRows, chunk: RowStore) => Steps<void>;

/**
 * Calls `change` for all targets, in chunks and in input order. If several input rows are invalid, the earliest one is reported, and a missing or
 * repeated target rather than a violation.
 */
export function* eachTarget(
  mutationContext: MutationContext,
  named: NamedRows,
  change: Change,
): Steps<void> {
  const { table, columnIndexes } = named;
  let violation: unknown;
  yield* eachChunk(mutationContext, named.input, function* (chunk, from, isLast) {
    if (from === 0 && !isLast) yield* refuseRepeated(mutationContext, named);
    const targets = yield* findTargets(mutationContext, table, columnIndexes, chunk);
    if (violation !== undefined) return;
    try {
      yield* change(targets, chunk);
    } catch (error) {
      if (isLast || !isViolation(error)) throw error;
      violation = inInput(error, from);
    }
  });
  if (violation !== undefined) throw violation;
}

function isViolation(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { reason } = error.failure;
  return reason === 'constraint_violation' || reason === 'invalid';
}

/** Throws if the input names a row twice, or if an earlier input row names none. */
function* refuseRepeated(mutationContext: MutationContext, named: NamedRows): Steps<void> {
  if (yield* isAscending(mutationContext, named)) return;
  const repeated = yield* earliestOfAll(mutationContext, named);
  if (repeated === undefined) return;
  const { table, columnIndexes, input } = named;
  let left = repeated;
  yield* eachChunk(mutationContext, input, function* (chunk) {
    if (left <= 0) return;
    if (chunk.length > left) chunk.rearrange(ownOrder(left), left);
    left -= chunk.length;
    yield* findTargets(mutationContext, table, columnIndexes, chunk);
  });
  throw repeatedTarget(table, repeated);
}

/** Returns whether each target has a greater key than the one before it, as those of most inputs do. */
function* isAscending(mutationContext: MutationContext, named: NamedRows): Steps<boolean> {
  let last: Uint8Array | undefined;
  let isSorted = true;
  yield* eachChunk(mutationContext, named.input, function* (chunk) {
    if (!isSorted) return;
    const { table, columnIndexes } = named;
    const keys = yield* targetKeys(mutationContext, table, columnIndexes, chunk);
    for (let i = 0; i < keys.length && isSorted; i++) {
      const key = keys[i] as Uint8Array;
      isSorted = last === undefined || compareBytes(last, key) < 0;
      last = key;
    }
  });
  return isSorted;
}

/** Returns the lowest number of an input row whose target an earlier row names; undefined if all targets differ. */
function* earliestOfAll(
  mutationContext: MutationContext,
  { table, columnIndexes, input }: NamedRows,
): Steps<number | undefined> {
  const sort = new EntrySort(mutationContext, { prefixLength: 0, part: partOfShare });
  yield* eachChunk(mutationContext, input, function* (chunk, from) {
    const keys = yield* targetKeys(mutationContext, table, columnIndexes, chunk);
    for (let i = 0; i < keys.length; i++) {
      sort.writer.append(keys[i] as Uint8Array);
      const keyTo = sort.writer.length;
      sort.writer.f64(from + i);
      sort.added(keyTo);
    }
    if (sort.isOver) yield* sort.spill();
  });
  let earliest: number | undefined;
  const list = yield* sort.finish();
  yield* list.eachPiece(function* (piece) {
    for (let i = 0; i < piece.order.length; i++) {
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      if (!piece.isRepeated(i)) continue;
      const number = new ByteReader(piece.run.value(piece.order[i] as number)).f64();
      if (earliest === undefined || number < earliest) earliest = number;
    }
  });
  list.close();
  return earliest;
}

/** Returns one row for each input row, in input order. If several input rows are invalid, the earliest one is reported. */
function* findTargets(
  mutationContext: MutationContext,
  table: Table,
  columnIndexes: readonly number[],
  input: RowStore,
): Steps<NumberedRows> {
  const keys = yield* targetKeys(mutationContext, table, columnIndexes, input);
  const order = yield* keyOrder(mutationContext, keys);
  const decoder = new BatchDecoder(new RowDecoder(table, table.columns));
  const columns: Datums[] = table.columns.map(() => new Array(keys.length));
  const rows: Row[] = new Array(keys.length);
  yield* mutationContext.findAll(keys, order, (batch, from) => {
    mutationContext.charge(decoder.decode(batch, order, from, columns));
    for (let i = 0; i < batch.end; i++) {
      const at = order[from + i] as number;
      if (batch.has(i)) rows[at] = admitted(mutationContext, rowAt(columns, at));
    }
  });
  const missing = decoder.absent.reduce((least, at) => Math.min(least, at), keys.length);
  const repeated = yield* earliestRepeated(mutationContext, keys, order);
  if (missing < keys.length && missing <= repeated) throw missingTarget(table, missing);
  if (repeated < keys.length) throw repeatedTarget(table, repeated);
  return { keys, rows };
}

function repeatedTarget({ name: table }: Table, inputRow: number): Error {
  const detail = `the input names the same row twice in table "${table}"`;
  return fail('mutation_target_ambiguous', detail, { execution: { table }, inputRow });
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

/** Returns the number of the input row that names the row with this key; undefined if there is none. */
export function* rowNumber(
  mutationContext: MutationContext,
  { table, columnIndexes, input }: NamedRows,
  key: Uint8Array,
): Steps<number | undefined> {
  let found: number | undefined;
  yield* eachChunk(mutationContext, input, function* (chunk, from) {
    if (found !== undefined) return;
    const keys = yield* targetKeys(mutationContext, table, columnIndexes, chunk);
    const at = keys.findIndex((candidate) => equalBytes(candidate, key));
    if (at >= 0) found = from + at;
  });
  return found;
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
