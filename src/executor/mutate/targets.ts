/**
 * The one place where the rows that a statement may update or delete are found and admitted: by primary key, each at most once. Operators look up
 * many rows at a time, a compiled point statement one. A row that the policy of the statement hides is treated as a row that does not exist.
 */

import { equalBytes, type Pending, type Steps } from '#base';
import type { Table } from '#catalog';
import { DatabaseError, fail } from '#failure';
import type { MutationPolicies, QueryPlan } from '#planner';
import type { Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import type { Sequence } from '../batch/long-list.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import { type RowStore, rowAt } from '../batch/row-store.ts';
import type { Datums } from '../batch/vector.ts';
import { BatchDecoder } from '../operators/scan/batch-decoder.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
import type { SortedPiece } from './entry-list.ts';
import type { KeyedRow, NumberedRows } from './index-entries.ts';
import { ChunkSize, eachChunk, inInput } from './input-chunks.ts';
import { keyOrder, ownOrder } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';
import { hiddenRows } from './policies.ts';
import {
  earliestOfAll,
  earliestRepeated,
  inputRowOf,
  isAscending,
  type NamedRows,
  sortedKeys,
  targetKeys,
} from './target-keys.ts';

/** Receives the rows that a mutation returns, in any number of parts. */
export type RowSink = (rows: Sequence<Row>) => Steps<void>;

/** Writes the change of some targets; `chunk` contains their input rows. */
type Change = (targets: NumberedRows, chunk: RowStore) => Steps<void>;
type ChangeOfKeys = (targets: NumberedRows) => Steps<void>;

/**
 * Calls `change` for all targets, in chunks and in input order. If several input rows are invalid, the earliest one is reported, and a missing or
 * repeated target rather than a violation.
 */
export function eachTarget(
  mutationContext: MutationContext,
  named: NamedRows,
  change: Change,
): Steps<void> {
  return inInputOrder(mutationContext, named, change, false);
}

/**
 * Tests the policies of all rows before the first one is written, if the input is changed in several chunks: a condition may read rows that an
 * earlier chunk writes. Returns the policies that are left to test.
 */
export function* testedAhead(
  mutationContext: MutationContext,
  named: NamedRows,
  policies: MutationPolicies,
  test: Change,
): Steps<MutationPolicies> {
  const { before, after } = policies;
  const size = new ChunkSize(mutationContext);
  const isOneChunk = named.input.length <= size.rows && named.input.bytes <= size.bytesMax;
  if (isOneChunk || (before === undefined && after === undefined)) return policies;
  yield* eachTarget(mutationContext, { ...named, policy: before }, test);
  return {};
}

/** Like `eachTarget`, for an input of keys alone and a change without violations. Many targets are changed in key order: see `inKeyOrder`. */
export function* eachTargetOfKeys(
  mutationContext: MutationContext,
  named: NamedRows,
  change: ChangeOfKeys,
): Steps<void> {
  const areMany = named.input.length > new ChunkSize(mutationContext).rows;
  const areOrdered = areMany && (yield* isAscending(mutationContext, named));
  if (areMany && !areOrdered) yield* inKeyOrder(mutationContext, named, change);
  else yield* inInputOrder(mutationContext, named, change, areOrdered);
}

/** `areDistinct` states that the input is known to name no row twice. */
function* inInputOrder(
  mutationContext: MutationContext,
  named: NamedRows,
  change: Change,
  areDistinct: boolean,
): Steps<void> {
  let violation: unknown;
  yield* eachChunk(mutationContext, named.input, function* (chunk, from, isLast) {
    if (from === 0 && !isLast && !areDistinct) yield* refuseRepeated(mutationContext, named);
    const targets = yield* findTargets(mutationContext, named, chunk);
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
  return reason === 'constraint_violation' || reason === 'policy_violation' || reason === 'invalid';
}

/** Changes all targets in key order. Chunks in input order would read most blocks of the table again for each chunk. */
function* inKeyOrder(
  mutationContext: MutationContext,
  named: NamedRows,
  change: ChangeOfKeys,
): Steps<void> {
  const { table } = named;
  const list = yield* sortedKeys(mutationContext, named);
  const size = new ChunkSize(mutationContext);
  let invalid: InvalidTarget | undefined;
  yield* list.eachPiece(function* (piece) {
    for (let at = 0; at < piece.order.length; ) {
      const from = at;
      yield* size.spend(function* () {
        at = Math.min(piece.order.length, from + size.rows);
        const found = yield* findInPiece(mutationContext, table, piece, from, at);
        invalid = earlier(invalid, found.invalid);
        if (invalid === undefined) yield* change(found.targets);
        return at - from;
      });
    }
  });
  list.close();
  if (invalid !== undefined) throw invalid.failure(table, invalid.inputRow);
}

interface InvalidTarget {
  readonly inputRow: number;
  readonly failure: (table: Table, inputRow: number) => Error;
}

function earlier(
  one: InvalidTarget | undefined,
  other: InvalidTarget | undefined,
): InvalidTarget | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.inputRow <= other.inputRow ? one : other;
}

interface FoundInPiece {
  readonly targets: NumberedRows;
  /** The earliest input row whose target is missing or repeated. */
  readonly invalid: InvalidTarget | undefined;
}

/** Finds the rows of the entries `[from, to)` of a piece. Each entry is the key of a target and the number of its input row. */
function* findInPiece(
  mutationContext: MutationContext,
  table: Table,
  piece: SortedPiece,
  from: number,
  to: number,
): Steps<FoundInPiece> {
  const keys: Uint8Array[] = [];
  const inputRows: number[] = [];
  let invalid: InvalidTarget | undefined;
  for (let i = from; i < to; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const at = piece.order[i] as number;
    const inputRow = inputRowOf(piece, i);
    if (piece.isRepeated(i)) invalid = earlier(invalid, { inputRow, failure: repeatedTarget });
    const key = piece.run.key(at);
    mutationContext.holdKey(key);
    keys.push(key);
    inputRows.push(inputRow);
  }
  const order = ownOrder(keys.length);
  const { rows, absent } = yield* findRows(mutationContext, table, { keys, order });
  for (const at of absent) {
    const inputRow = inputRows[at] as number;
    invalid = earlier(invalid, { inputRow, failure: missingTarget });
  }
  return { targets: { keys, rows }, invalid };
}

/** Throws if the input names a row twice, or if an earlier input row names none. */
function* refuseRepeated(mutationContext: MutationContext, named: NamedRows): Steps<void> {
  if (yield* isAscending(mutationContext, named)) return;
  const repeated = yield* earliestOfAll(mutationContext, named);
  if (repeated === undefined) return;
  const { table, input } = named;
  let left = repeated;
  yield* eachChunk(mutationContext, input, function* (chunk) {
    if (left <= 0) return;
    if (chunk.length > left) chunk.rearrange(ownOrder(left), left);
    left -= chunk.length;
    yield* findTargets(mutationContext, named, chunk);
  });
  throw repeatedTarget(table, repeated);
}

/** Returns one row for each input row, in input order. If several input rows are invalid, the earliest one is reported. */
function* findTargets(
  mutationContext: MutationContext,
  { table, columnIndexes, policy }: NamedRows,
  input: RowStore,
): Steps<NumberedRows> {
  const keys = yield* targetKeys(mutationContext, table, columnIndexes, input);
  const order = yield* keyOrder(mutationContext, keys);
  const { rows, absent } = yield* findRows(mutationContext, table, { keys, order });
  const hidden = policy && (yield* hiddenTarget(mutationContext, table, policy, rows));
  const missing = absent.reduce((least, at) => Math.min(least, at), hidden ?? keys.length);
  const repeated = yield* earliestRepeated(mutationContext, keys, order);
  if (missing < keys.length && missing <= repeated) throw missingTarget(table, missing);
  if (repeated < keys.length) throw repeatedTarget(table, repeated);
  return { keys, rows };
}

/** Returns the number of the first row that the policy hides. `rows` may lack numbers. */
function* hiddenTarget(
  mutationContext: MutationContext,
  table: Table,
  policy: QueryPlan,
  rows: readonly (Row | undefined)[],
): Steps<number | undefined> {
  const found = [...rows.keys()].filter((at) => rows[at] !== undefined);
  const present = found.map((at) => rows[at] as Row);
  const [first] = yield* hiddenRows(mutationContext, table, policy, present);
  return first === undefined ? undefined : found[first];
}

interface FoundRows {
  /** The row of each key, by its number; undefined for keys without a row. */
  readonly rows: Row[];
  /** The numbers of the keys that no row has. */
  readonly absent: readonly number[];
}

function* findRows(
  mutationContext: MutationContext,
  table: Table,
  { keys, order }: { readonly keys: readonly Uint8Array[]; readonly order: Uint32Array },
): Steps<FoundRows> {
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
  return { rows, absent: decoder.absent };
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

/** Accounts the old row of a target and returns it. */
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
