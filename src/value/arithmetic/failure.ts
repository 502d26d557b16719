/** Errors of arithmetic. This module is at the same layer as `failure`, so the executor converts them to a DatabaseError. */

type ArithmeticProblem = 'numeric_overflow' | 'division_by_zero';

/** Thrown at most once per request, which it ends. `message` contains the detail fragments of docs/errors.md. */
export class ArithmeticFailure extends Error {
  readonly reason: ArithmeticProblem;

  constructor(reason: ArithmeticProblem, message: string) {
    super(message);
    this.name = 'ArithmeticFailure';
    this.reason = reason;
  }
}

export function integerOverflow(operation: string): ArithmeticFailure {
  return new ArithmeticFailure('numeric_overflow', `int64 overflow in ${operation}`);
}

export function floatOverflow(operation: string): ArithmeticFailure {
  return new ArithmeticFailure('numeric_overflow', `float overflow in ${operation}`);
}

export function divisionByZero(): ArithmeticFailure {
  return new ArithmeticFailure('division_by_zero', 'division by zero');
}
