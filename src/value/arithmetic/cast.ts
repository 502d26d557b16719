/** The two casts that change a value (docs/lir.md §6.6). Every other allowed cast is the identity. */

import { EvaluationFailure } from './failure.ts';
import type { Int64 } from './int64.ts';

const twoTo63 = 2 ** 63;

/** Returns the nearest binary64, ties to even, as Number(bigint) is defined. */
export function int64ToFloat64(value: Int64): number {
  return Number(value);
}

/** Truncates toward zero; -0 becomes 0. Throws an EvaluationFailure if the result is out of range. */
export function float64ToInt64(value: number): Int64 {
  if (value >= twoTo63 || value < -twoTo63) {
    throw new EvaluationFailure('numeric_overflow', 'float64 value is out of range of int64');
  }
  const integer = Math.trunc(value) + 0;
  return Number.isSafeInteger(integer) ? integer : BigInt(integer);
}
