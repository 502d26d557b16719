/** The form of a failure for its principal: without tables that the principal cannot see, and without parts of the plan, which depends on rows that it may not read. */

import type { Catalog } from '#catalog';
import { DatabaseError, type Failure, type Reason } from '#failure';
import type { Needs } from './needs.ts';
import type { Principal } from './principal.ts';
import { isRestricted, isVisible } from './view.ts';

/** Details of failures that mention an invisible table. */
const hiddenDetails: Partial<Record<Reason, string>> = {
  constraint_violation:
    'the change violates a constraint that involves another table; nothing was changed',
  schema_transition_finalizing:
    'another table that the change reaches accepts no writes while a transition finishes; send the program again',
};
const hiddenDetail = 'the change of another table failed; nothing was changed';

/** The program that has failed. */
interface Failed {
  /** The catalog for which it was planned. */
  readonly catalog: Pick<Catalog, 'policies'>;
  /** `undefined` if it was not planned. */
  readonly needs: Needs | undefined;
}

/** Returns the error to report. */
export function shownError(
  error: unknown,
  { visibility }: Principal,
  { catalog, needs }: Failed,
): unknown {
  if (!isRestricted(catalog, visibility) || !(error instanceof DatabaseError)) return error;
  const { failure } = error;
  const { mentions = [], execution, conflict, constraint, ...others } = failure;
  const areVisible = mentions.every((table) => isVisible(catalog, table, visibility));
  if (areVisible && !execution && !conflict && !constraint) return error;
  const named = new Set(needs?.actions.map(({ table }) => table.name));
  const shown: Failure = {
    ...others,
    ...(constraint && areVisible && named.has(constraint.table) && { constraint }),
    detail: areVisible ? failure.detail : (hiddenDetails[failure.reason] ?? hiddenDetail),
    ...(execution && { execution: shownParts(execution, ['table', 'binding'], named) }),
    ...(conflict && { conflict: shownParts(conflict, ['object', 'operation', 'table'], named) }),
  };
  return new DatabaseError(shown, { cause: error });
}

/** Returns only the given members, and the table only if the program names it. */
function shownParts<T extends { readonly table?: string }, K extends keyof T>(
  parts: T,
  members: readonly K[],
  named: ReadonlySet<string>,
): Partial<T> {
  const shown: Partial<T> = {};
  for (const member of members) {
    const value = parts[member];
    if (value === undefined) continue;
    if (member !== 'table' || named.has(value as string)) shown[member] = value;
  }
  return shown;
}
