/** Exact int64 arithmetic: numbers while operands and result are safe integers, bigint beyond (docs/lir.md §6.5). */

import { divisionByZero, integerOverflow } from './failure.ts';

/** A number if it is a safe integer (never -0), otherwise a bigint. */
export type Int64 = number | bigint;

export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

const safeMin = BigInt(Number.MIN_SAFE_INTEGER);
const safeMax = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the canonical form of an integer; `undefined` if it is out of range. */
export function toInt64(value: bigint): Int64 | undefined {
  if (value >= safeMin && value <= safeMax) return Number(value);
  return value >= int64Min && value <= int64Max ? value : undefined;
}

// A rounded float result is safe only if the exact result is safe, because a result beyond 2^53 is never rounded to a value below it.
// `+ 0` turns -0 into 0.

export function addInt64(left: Int64, right: Int64): Int64 {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checked(BigInt(left) + BigInt(right), 'addition');
}

export function subtractInt64(left: Int64, right: Int64): Int64 {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checked(BigInt(left) - BigInt(right), 'subtraction');
}

export function multiplyInt64(left: Int64, right: Int64): Int64 {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return checked(BigInt(left) * BigInt(right), 'multiplication');
}

/** Divides and truncates toward zero. */
export function divideInt64(left: Int64, right: Int64): Int64 {
  if (right === 0) throw divisionByZero();
  // For safe integers, the rounded quotient never reaches the next integer away from zero.
  if (typeof left === 'number' && typeof right === 'number') return Math.trunc(left / right) + 0;
  return checked(BigInt(left) / BigInt(right), 'division');
}

export function negateInt64(value: Int64): Int64 {
  return typeof value === 'number' ? 0 - value : checked(-value, 'negation');
}

function checked(value: bigint, operation: string): Int64 {
  const result = toInt64(value);
  if (result === undefined) throw integerOverflow(operation);
  return result;
}
