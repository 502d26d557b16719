/** Checks of our own assumptions: a failed one is a bug of ours, never a user's mistake. */

/** Throws when `condition` is false. Pass a literal `message`: a template is built even when the check passes. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`invariant violated: ${message}`);
}

/** Ends a switch over a closed union: reaching it at run time means a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
