/** Checks of internal assumptions. A failed check is a bug in svc, never an error of a user. */

/** Throws if `condition` is false. Pass a literal `message`: a template would be built even if the check passes. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`invariant violated: ${message}`);
}

/** Ends a switch over a closed union. A call at run time means that a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
