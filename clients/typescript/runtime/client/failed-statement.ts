/** Which statement of a program failed. */

/** Names of statements that are guards begin so. */
export const guardPrefix = 'ensure_';

/** The server names the statement in `location`, or at the head of `detail`; the empty text when it does not. */
export function statementOf(problem: {
  readonly location?: { readonly binding?: string };
  readonly detail?: string;
}): string {
  const { location, detail = '' } = problem;
  return location?.binding ?? /^statement "([^"]*)"/.exec(detail)?.[1] ?? '';
}
