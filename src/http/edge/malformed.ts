/** The failure of a request with an unreadable part. */

import { type DatabaseError, fail } from '#failure';

/** Returns the failure. `pointer` names the part: `/query/wait`, `/header/host`. */
export function malformed(pointer: string, detail: string, cause?: unknown): DatabaseError {
  return fail('schema_violation', detail, { status: 400, location: { pointer }, cause });
}
