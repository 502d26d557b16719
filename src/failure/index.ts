/**
 * Failed requests as data.
 *
 * A `Failure` contains a reason of the registry (`reasons.ts`) and a description of the problem. The reason determines the code, the HTTP status,
 * the title and the stage. A failure can override the status and the stage. The class `DatabaseError` carries a failure. This error is thrown at
 * most once per request, never per row, and caught only in `http` and `cli`. A bug in svc is not a failure but a failed invariant.
 */

export {
  DatabaseError,
  type ExecutionContext,
  type Failure,
  type Finding,
  fail,
  type ProblemLocation,
  type ViolatedConstraint,
} from './failure.ts';
export { toProblem } from './problem.ts';
export { type Code, type Reason, reasons, type Stage, titles } from './reasons.ts';
export { columnsText, rowsText } from './stored-rows.ts';
