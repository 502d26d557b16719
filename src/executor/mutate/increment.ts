/** The `increment` generator: one persistent high-water mark for each column (docs/pir.md §4, Defaults). */

import type { Pending, Steps } from '#base';
import {
  type Column,
  decodeIncrementMark,
  encodeIncrementMark,
  incrementMarkKey,
  type Table,
} from '#catalog';
import { fail } from '#failure';
import { comparatorOf, type Int64, int64Max, type Scalar, toInt64 } from '#value';
import { type ChunkedColumn, lengthOfPieces, setValue, valueAt } from '../batch/chunked-column.ts';
import { sorted } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';

export function isIncrement(column: Column): boolean {
  return column.default?.kind === 'generator' && column.default.func === 'increment';
}

/** Raises the mark to the largest of `values`. */
export function* raiseMark(
  mutationContext: MutationContext,
  table: Table,
  column: Column,
  values: ChunkedColumn,
): Steps<void> {
  const mark = yield* readMark(mutationContext, table, column);
  let highest: Int64 = mark;
  const count = lengthOfPieces(values);
  for (let i = 0; i < count; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const value = valueAt(values, i) as Int64 | null;
    if (value !== null && value > highest) highest = value;
  }
  if (highest !== mark) writeMark(mutationContext, table, column, highest);
}

/**
 * Assigns each row of `vectors` (one vector per column, in catalog order) the next value: in the order of the other columns, or with `ordered` in
 * the order of the rows.
 */
export function* allocate(
  mutationContext: MutationContext,
  { table, ordered }: { readonly table: Table; readonly ordered: boolean },
  ordinal: number,
  vectors: ChunkedColumn[],
): Steps<void> {
  const column = table.columns[ordinal] as Column;
  const values = vectors[ordinal] as ChunkedColumn;
  const count = lengthOfPieces(values);
  if (count === 0) return;
  const order = ordered
    ? undefined
    : yield* orderOfOthers(mutationContext, table, ordinal, vectors);
  const next = yield* reserveNumbers(mutationContext, table, column, count);
  for (let i = 0; i < count; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    setValue(values, order === undefined ? i : (order[i] as number), next(i));
  }
}

/** Raises the mark by `count`. Returns a function that computes the number of a rank, from 0 on. Throws `numeric_overflow` beyond int64. */
export function* reserveNumbers(
  mutationContext: MutationContext,
  table: Table,
  column: Column,
  count: number,
): Steps<(rank: number) => Int64> {
  const mark = BigInt(yield* readMark(mutationContext, table, column));
  const last = mark + BigInt(count);
  if (last > int64Max) throw overflow(table, column);
  writeMark(mutationContext, table, column, toInt64(last) as Int64);
  return (rank) => toInt64(mark + BigInt(rank + 1)) as Int64;
}

function overflow(table: Table, column: Column): Error {
  return fail('numeric_overflow', `the increment of column "${column.name}" has an overflow`, {
    execution: { operator: 'create', table: table.name },
  });
}

/** Returns the row numbers sorted by all columns but one, in catalog order; NULL first. */
function orderOfOthers(
  mutationContext: MutationContext,
  table: Table,
  ordinal: number,
  vectors: readonly ChunkedColumn[],
): Steps<Uint32Array> {
  const length = lengthOfPieces(vectors[ordinal] as ChunkedColumn);
  const others = table.columns.flatMap((column, i) =>
    i === ordinal
      ? []
      : [{ compare: comparatorOf(column.type), values: vectors[i] as ChunkedColumn }],
  );
  return sorted(mutationContext, length, (left, right) => {
    for (let i = 0; i < others.length; i++) {
      const { compare, values } = others[i] as (typeof others)[number];
      const order = compare(valueAt(values, left) as Scalar, valueAt(values, right) as Scalar);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function* readMark(mutationContext: MutationContext, table: Table, column: Column): Steps<Int64> {
  for (;;) {
    const mark = markOf(mutationContext, table, column);
    if (!(mark instanceof Promise)) return mark;
    yield mark;
  }
}

/**
 * Returns the highest value that was ever generated or supplied; 0 before the first one. If it is not in memory, returns a wait, after which the
 * caller calls again.
 */
export function markOf(
  mutationContext: MutationContext,
  table: Table,
  column: Column,
): Int64 | Pending {
  const stored = mutationContext.transaction.get(incrementMarkKey(table, column));
  if (stored instanceof Promise) return stored;
  return stored === undefined ? 0 : decodeIncrementMark(stored);
}

/** Returns the value after `mark`, for one new row. Throws `numeric_overflow` if that exceeds int64. */
export function markAfter(mark: Int64, table: Table, column: Column): Int64 {
  if (typeof mark === 'number' && mark < Number.MAX_SAFE_INTEGER) return mark + 1;
  if (BigInt(mark) >= int64Max) throw overflow(table, column);
  return toInt64(BigInt(mark) + 1n) as Int64;
}

export function writeMark(
  mutationContext: MutationContext,
  table: Table,
  column: Column,
  mark: Int64,
): void {
  mutationContext.put(incrementMarkKey(table, column), encodeIncrementMark(mark));
}
