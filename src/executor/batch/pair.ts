/** Two numbers as one exact integer, which a table can number again. */

import { fail } from '#failure';

/** Numbers of one column stay below this, and those of what stands left of it below twice as many: a pair of them is a safe integer. */
export const codesMax = 2 ** 26;

/** Of two numbers, from 0 on. More values than pairs can tell apart are a `memory_limit`. */
export function pairOf(left: number, right: number): number {
  refuseAbove(right + 1, codesMax);
  refuseAbove(left + 1, codesMax * 2);
  return left * codesMax + right;
}

/** `values` is how many there are: the highest number is one below it. */
export function refuseAbove(values: number, max: number): void {
  if (values <= max) return;
  const detail = `keys of several columns can hold ${max} different values of one column, and there are more`;
  throw fail('memory_limit', detail);
}
