/** Functions of float64. A result is finite, as in arithmetic (docs/lir.md §6.5). */

import { float64ToInt64 } from '../arithmetic/cast.ts';
import { divisionByZero, EvaluationFailure } from '../arithmetic/failure.ts';
import type { Int64 } from '../arithmetic/int64.ts';
import { exactExponentMax, integerPower } from './integer-power.ts';

export function floatRemainder(left: number, right: number): number {
  if (right === 0) throw divisionByZero();
  return left % right;
}

/** Returns the nearest integer, ties to even. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0) return value;
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const rounded = isUp ? floor + 1 : floor;
  // The sign of a zero is that of the value.
  return rounded === 0 && value < 0 ? -0 : rounded;
}

/** Rounds the shortest decimal form of the value to decimal places: ties away from zero, or all digits toward zero. */
export function toPlaces(value: number, places: Int64, mode: 'nearest' | 'toward_zero'): number {
  const [digits = '', exponent = ''] = Math.abs(value).toExponential().split('e');
  const solid = digits.replace('.', '');
  // The digits of a float64 end before this many places on both sides of the point.
  const wanted = Math.min(Math.max(Number(places), -400), 400);
  const kept = Number(exponent) + wanted + 1;
  if (kept >= solid.length) return value + 0;
  if (kept < 0) return 0;
  const isUp = mode === 'nearest' && solid.charCodeAt(kept) >= 0x35;
  const whole = BigInt(solid.slice(0, kept)) + (isUp ? 1n : 0n);
  const rounded = Number(`${whole}e${-wanted}`);
  if (!Number.isFinite(rounded)) throw outOfRange('round');
  return value < 0 ? 0 - rounded : rounded;
}

export function floatToInt64(value: number): Int64 {
  return float64ToInt64(roundHalfEven(value));
}

export function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw refused('zero cannot be raised to a negative power');
  if (base < 0 && !Number.isInteger(exponent)) {
    throw refused('a negative number can be raised only to integer powers');
  }
  if (base === 0 || exponent === 0) return base ** exponent;
  const isExact = Number.isInteger(exponent) && Math.abs(exponent) <= exactExponentMax;
  return inRange(isExact ? integerPower(base, exponent) : base ** exponent, 'power');
}

export function squareRoot(value: number): number {
  if (value < 0) throw refused('the square root of a negative number does not exist');
  return Math.sqrt(value);
}

export function exponential(value: number): number {
  return inRange(Math.exp(value), 'exp');
}

export function logarithm(value: number, base: 'e' | '10'): number {
  if (value <= 0) throw refused('only positive numbers have a logarithm');
  return base === 'e' ? Math.log(value) : Math.log10(value);
}

/** A result that is too large is an overflow, and so is one that is too small, as in PostgreSQL. */
function inRange(result: number, operation: string): number {
  if (Number.isFinite(result) && result !== 0) return result;
  throw outOfRange(operation);
}

function outOfRange(operation: string): EvaluationFailure {
  return new EvaluationFailure(
    'numeric_overflow',
    `the result of ${operation} is out of range of float64`,
  );
}

function refused(detail: string): EvaluationFailure {
  return new EvaluationFailure('invalid_argument', detail);
}
