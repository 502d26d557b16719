/** Functions of int64: remainders and bits. */

import { divisionByZero, integerOverflow } from '../arithmetic/failure.ts';
import { type Int64, toInt64 } from '../arithmetic/int64.ts';

/** Returns the remainder with the sign of the dividend. */
export function remainder(left: Int64, right: Int64): Int64 {
  if (right === 0) throw divisionByZero();
  if (typeof left === 'number' && typeof right === 'number') return (left % right) + 0;
  return canonical(BigInt(left) % BigInt(right));
}

export function absolute(value: Int64): Int64 {
  if (typeof value === 'number') return Math.abs(value);
  const result = toInt64(value < 0n ? -value : value);
  if (result === undefined) throw integerOverflow('abs');
  return result;
}

export function bitAnd(left: Int64, right: Int64): Int64 {
  return isShort(left) && isShort(right)
    ? (left as number) & (right as number)
    : canonical(BigInt(left) & BigInt(right));
}

export function bitOr(left: Int64, right: Int64): Int64 {
  return isShort(left) && isShort(right)
    ? (left as number) | (right as number)
    : canonical(BigInt(left) | BigInt(right));
}

export function bitXor(left: Int64, right: Int64): Int64 {
  return isShort(left) && isShort(right)
    ? (left as number) ^ (right as number)
    : canonical(BigInt(left) ^ BigInt(right));
}

export function bitNot(value: Int64): Int64 {
  return typeof value === 'number' ? -1 - value : canonical(~value);
}

/** Shifts by the count modulo 64. Bits that leave the 64 bits of the value are lost. */
export function shiftLeft(value: Int64, count: Int64): Int64 {
  return canonical(BigInt.asIntN(64, BigInt(value) << shiftCount(count)));
}

/** Shifts by the count modulo 64 and keeps the sign. */
export function shiftRight(value: Int64, count: Int64): Int64 {
  return canonical(BigInt(value) >> shiftCount(count));
}

function shiftCount(count: Int64): bigint {
  return BigInt.asUintN(6, BigInt(count));
}

/** Returns whether the operators of 32 bits give the right result. */
function isShort(value: Int64): boolean {
  return typeof value === 'number' && value === (value | 0);
}

function canonical(value: bigint): Int64 {
  return toInt64(value) as Int64;
}
