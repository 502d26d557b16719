/** What a check says of a document that it refuses. */

import { DatabaseError, type Failure, reasons } from '#failure';

/** Throws when `act` does not, or throws something that is no DatabaseError. */
export function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof DatabaseError) return error.failure;
    throw new Error('not a DatabaseError', { cause: error });
  }
  throw new Error('nothing was refused');
}

/** Reason, status, stage and pointer in one value. */
export function outline(failure: Failure) {
  const row = reasons[failure.reason];
  return {
    reason: failure.reason,
    status: failure.status ?? row.status,
    stage: failure.stage ?? row.stage,
    pointer: failure.location?.pointer,
  };
}
