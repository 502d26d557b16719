/**
 * Every way a request can fail, as data.
 *
 * A `Failure` names a reason of the registry (`reasons.ts`) and says what happened; code, HTTP status, title and stage
 * follow from the reason unless the failure overrides them. One class, `DatabaseError`, carries it; it is thrown once per
 * request at most (never per row) and caught in `http` and `cli`. Mistakes of our own are not failures: they are invariants.
 */

export {
  DatabaseError,
  type ExecutionContext,
  type Failure,
  type Finding,
  fail,
  type ProblemLocation,
} from './failure.ts';
export { toProblem } from './problem.ts';
export { type Code, type Reason, reasons, type Stage, titles } from './reasons.ts';
export { columnsText, rowsText } from './stored-rows.ts';
