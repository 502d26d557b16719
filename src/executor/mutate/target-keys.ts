/** The keys of the rows that an input names: of a chunk in input order, or of the whole input in key order. */

import { ByteReader, compareBytes, type Steps } from '#base';
import type { Table } from '#catalog';
import { tableLayout } from '#layout';
import type { QueryPlan } from '#planner';
import type { Scalar } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import type { RowStore } from '../batch/row-store.ts';
import type { RowList } from '../spill/row-list.ts';
import type { EntryList, SortedPiece } from './entry-list.ts';
import { EntrySort } from './entry-sort.ts';
import { eachChunk } from './input-chunks.ts';
import type { MutationContext } from './mutation-context.ts';

const noKey = Uint8Array.of(0);
/** The part of the share of an operator that the keys of all targets may take while they are sorted. */
const partOfShare = 1 / 2;

/** An input that names rows of a table. */
export interface NamedRows {
  readonly table: Table;
  /** For each column of the table, the index of the input column that supplies it, or -1. */
  readonly columnIndexes: readonly number[];
  readonly input: RowList;
  /** Whether new rows are numbered in the order of the input. */
  readonly ordered: boolean;
  /** The policy of the stored rows that the statement may change; absent if it may change all, or if they were tested before. */
  readonly policy?: QueryPlan | undefined;
}

/** Returns whether each target has a greater key than the one before it, as those of most inputs do. */
export function* isAscending(mutationContext: MutationContext, named: NamedRows): Steps<boolean> {
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

/** Returns the keys of all targets in key order, each with the number of its input row. Equal keys are in input order. */
export function* sortedKeys(
  mutationContext: MutationContext,
  { table, columnIndexes, input }: NamedRows,
): Steps<EntryList> {
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
  return yield* sort.finish();
}

/** Returns the number of the input row that names the target at position `i` of a piece of `sortedKeys`. */
export function inputRowOf({ run, order }: SortedPiece, i: number): number {
  return new ByteReader(run.value(order[i] as number)).f64();
}

/** Returns the lowest number of an input row whose target an earlier row names; undefined if all targets differ. */
export function* earliestOfAll(
  mutationContext: MutationContext,
  named: NamedRows,
): Steps<number | undefined> {
  let earliest: number | undefined;
  const list = yield* sortedKeys(mutationContext, named);
  yield* list.eachPiece(function* (piece) {
    for (let i = 0; i < piece.order.length; i++) {
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      if (!piece.isRepeated(i)) continue;
      const number = inputRowOf(piece, i);
      if (earliest === undefined || number < earliest) earliest = number;
    }
  });
  list.close();
  return earliest;
}

/** Returns the keys of the targets. A key with NULL becomes a key that no row has. */
export function* targetKeys(
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
export function* earliestRepeated(
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
