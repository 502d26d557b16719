/** The order of stored rows by sort keys: NULL first, `descending` is the exact reverse of its term, and equal rows keep their order. */

import { compareNumbers, type Datum, type ScalarType, valueComparatorOf } from '#value';
import { type ChunkedColumn, pieceBits, pieceMask } from '../../batch/chunked-column.ts';
import type { Datums } from '../../batch/vector.ts';

/** Compares two rows by position, each in its own columns. */
export type RowComparator = (left: number, right: number) => number;

export interface OrderTerm {
  readonly type: ScalarType;
  readonly descending: boolean;
}

/** `leftKeys` and `rightKeys` have one column for each term. */
export function rowComparator(
  terms: readonly OrderTerm[],
  leftKeys: readonly ChunkedColumn[],
  rightKeys: readonly ChunkedColumn[] = leftKeys,
): RowComparator {
  const comparators = terms.map((term, i) =>
    termComparator(term, leftKeys[i] as ChunkedColumn, rightKeys[i] as ChunkedColumn),
  );
  const [first, second] = comparators;
  if (first === undefined) return () => 0;
  if (second === undefined) return first;
  if (comparators.length === 2) return (left, right) => first(left, right) || second(left, right);
  return (left, right) => {
    for (let i = 0; i < comparators.length; i++) {
      const order = (comparators[i] as RowComparator)(left, right);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function termComparator(
  { type, descending }: OrderTerm,
  lefts: ChunkedColumn,
  rights: ChunkedColumn,
): RowComparator {
  const sign = descending ? -1 : 1;
  const compare = valueComparatorOf(type) as (left: Datum, right: Datum) => number;
  if ((compare as unknown) === compareNumbers) {
    return numberComparator(lefts, rights, sign);
  }
  return (left, right) => {
    const a = (lefts[left >>> pieceBits] as Datums)[left & pieceMask] as Datum;
    const b = (rights[right >>> pieceBits] as Datums)[right & pieceMask] as Datum;
    if (a === null || b === null) return (Number(b === null) - Number(a === null)) * sign;
    return compare(a, b) * sign;
  };
}

function numberComparator(
  lefts: ChunkedColumn,
  rights: ChunkedColumn,
  sign: number,
): RowComparator {
  return (left, right) => {
    const a = (lefts[left >>> pieceBits] as Datums)[left & pieceMask] as number | null;
    const b = (rights[right >>> pieceBits] as Datums)[right & pieceMask] as number | null;
    if (a === null || b === null) return (Number(b === null) - Number(a === null)) * sign;
    return a < b ? -sign : a > b ? sign : 0;
  };
}
