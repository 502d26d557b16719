/** Decides whether the orders of two inputs allow a merge join: equalities between columns by which both sides are sorted in ascending order. */

import { isKeyColumn, type Ordering } from './ordering.ts';

/** An equality between a column of each side, by column ids. */
export interface ColumnPair {
  readonly left: number;
  readonly right: number;
}

export interface MergeOrder<T extends ColumnPair> {
  /** The equal columns, in the sort order of both sides. There is at least one pair. */
  readonly pairs: readonly T[];
  /** No two rows of the left side are equal in `pairs`. */
  readonly isLeftUnique: boolean;
  readonly isRightUnique: boolean;
}

/** Returns the longest common order; `undefined` if there is none. */
export function mergeOrder<T extends ColumnPair>(
  left: Ordering,
  right: Ordering,
  pairs: readonly T[],
): MergeOrder<T> | undefined {
  const met: T[] = [];
  let l = 0;
  let r = 0;
  for (;;) {
    const [a, b] = [left.keys[l], right.keys[r]];
    if (a === undefined || b === undefined) break;
    const pair = pairs.find((it) => isKeyColumn(a, it.left) && isKeyColumn(b, it.right));
    if (pair !== undefined && !a.descending && !b.descending) {
      met.push(pair);
      l++;
      r++;
    } else if (left.constants.has(a.id)) {
      l++;
    } else if (right.constants.has(b.id)) {
      r++;
    } else {
      break;
    }
  }
  if (met.length === 0) return undefined;
  return { pairs: met, isLeftUnique: isTotal(left, l), isRightUnique: isTotal(right, r) };
}

/** Returns the side to buffer. A side with one row per key is cheapest to buffer. A left join always streams its left side. */
export function heldSide(
  join: 'inner' | 'left',
  { isLeftUnique, isRightUnique }: Pick<MergeOrder<ColumnPair>, 'isLeftUnique' | 'isRightUnique'>,
): 'left' | 'right' {
  return join === 'inner' && isLeftUnique && !isRightUnique ? 'left' : 'right';
}

/** Returns the ordering of the joined rows, which is that of the streamed side. In an inner join, its keys equal those of the buffered side. */
export function mergedOrdering(
  join: 'inner' | 'left',
  left: Ordering,
  right: Ordering,
  order: MergeOrder<ColumnPair>,
): Ordering {
  const isLeftHeld = heldSide(join, order) === 'left';
  const [stream, held] = isLeftHeld ? [right, left] : [left, right];
  const isUnique = isLeftHeld ? order.isLeftUnique : order.isRightUnique;
  const totalAfter = isUnique ? stream.totalAfter : undefined;
  if (join === 'left') return { ...stream, totalAfter };
  const keys = stream.keys.map((key) => {
    const equal = order.pairs.flatMap((pair) => {
      const [own, same] = isLeftHeld ? [pair.right, pair.left] : [pair.left, pair.right];
      return isKeyColumn(key, own) ? columnsOf(held, same) : [];
    });
    return equal.length === 0 ? key : { ...key, same: [...(key.same ?? []), ...equal] };
  });
  return { keys, constants: new Set([...stream.constants, ...held.constants]), totalAfter };
}

/** Returns the column and the columns that always have the same value. */
function columnsOf({ keys }: Ordering, column: number): readonly number[] {
  const key = keys.find((candidate) => isKeyColumn(candidate, column));
  return key === undefined ? [column] : [key.id, ...(key.same ?? [])];
}

function isTotal({ totalAfter }: Ordering, keys: number): boolean {
  return totalAfter !== undefined && totalAfter <= keys;
}
