/** Encodes two numbers as one exact integer, which a table can number again. */

import { fail } from '#failure';

/**
 * Bound of the numbers of one column. The numbers of the columns to its left are below twice this bound, so that a pair of them is a safe
 * integer.
 */
export const codesMax = 2 ** 26;

/** Encodes two numbers from 0 on. Throws `memory_limit` if there are more values than pairs can distinguish. */
export function pairOf(left: number, right: number): number {
  refuseAbove(right + 1, codesMax);
  refuseAbove(left + 1, codesMax * 2);
  return left * codesMax + right;
}

/** Throws `memory_limit` if `values`, the number of values, exceeds `max`; the highest number is `values - 1`. */
export function refuseAbove(values: number, max: number): void {
  if (values <= max) return;
  const detail = `keys of several columns: there are more than ${max} distinct values`;
  throw fail('memory_limit', detail);
}
