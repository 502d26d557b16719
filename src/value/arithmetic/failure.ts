/** Errors of evaluation. This module is at the same layer as `failure`, so the executor converts them to a DatabaseError. */

type EvaluationProblem =
  | 'numeric_overflow'
  | 'division_by_zero'
  | 'constraint_violation'
  | 'invalid_argument'
  | 'invalid_text'
  | 'memory_limit';

/** Thrown at most once per request, which it ends. `message` contains the detail fragments of docs/errors.md. */
export class EvaluationFailure extends Error {
  readonly reason: EvaluationProblem;

  constructor(reason: EvaluationProblem, message: string) {
    super(message);
    this.name = 'EvaluationFailure';
    this.reason = reason;
  }
}

export function integerOverflow(operation: string): EvaluationFailure {
  return new EvaluationFailure('numeric_overflow', `int64 overflow in ${operation}`);
}

export function floatOverflow(operation: string): EvaluationFailure {
  return new EvaluationFailure('numeric_overflow', `float overflow in ${operation}`);
}

export function divisionByZero(): EvaluationFailure {
  return new EvaluationFailure('division_by_zero', 'division by zero');
}
