/** The refusal of a request whose parts cannot be read. */

import { type DatabaseError, fail } from '#failure';

/** `pointer` is the part: `/query/wait`, `/header/host`. */
export function malformed(pointer: string, detail: string, cause?: unknown): DatabaseError {
  return fail('schema_violation', detail, { status: 400, location: { pointer }, cause });
}
