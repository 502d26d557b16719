/** binary64 arithmetic without NaN and infinities: a non-finite result is an overflow (docs/lir.md §6.5). */

import { divisionByZero, EvaluationFailure, floatOverflow } from './failure.ts';

export function addFloat64(left: number, right: number): number {
  return finite(left + right, 'addition');
}

export function subtractFloat64(left: number, right: number): number {
  return finite(left - right, 'subtraction');
}

export function multiplyFloat64(left: number, right: number): number {
  return finite(left * right, 'multiplication');
}

export function divideFloat64(left: number, right: number): number {
  if (right === 0) throw divisionByZero();
  return finite(left / right, 'division');
}

function finite(result: number, operation: string): number {
  if (!Number.isFinite(result)) throw floatOverflow(operation);
  return result;
}

/** Returns a finite sum or average of float64 unchanged; throws an EvaluationFailure if it is not finite. */
export function finiteFold(value: number): number {
  if (!Number.isFinite(value)) {
    throw new EvaluationFailure('numeric_overflow', 'non-finite float aggregate');
  }
  return value;
}
