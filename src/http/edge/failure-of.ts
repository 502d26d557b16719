/** Converts any thrown value to a failure. */

import { DatabaseError, type Failure, fail, reasons } from '#failure';
import { StorageError } from '#storage';

const causesMax = 8;

/**
 * Returns the failure of an error. An internal failure (status 500) gets an incident number. Its causes are only for the
 * log: see `describeChain`.
 */
export function failureOf(error: unknown, incident: () => string): Failure {
  const failure = knownFailure(error);
  const status = failure.status ?? reasons[failure.reason].status;
  if (status !== 500) return failure;
  return { ...failure, incident: failure.incident ?? incident() };
}

function knownFailure(error: unknown): Failure {
  if (error instanceof DatabaseError) return error.failure;
  if (error instanceof StorageError) return fail('storage_unavailable', error.message).failure;
  return fail('internal', 'internal failure').failure;
}

/** Returns the text of an error with all its causes. */
export function describeChain(error: unknown): string {
  const parts: string[] = [];
  let link: unknown = error;
  for (let depth = 0; link !== undefined && depth < causesMax; depth++) {
    parts.push(describe(link));
    link = link instanceof Error ? link.cause : undefined;
  }
  return parts.join('; caused by ');
}

/** Returns the text of one error. The names of svc's own error classes are omitted, because they add nothing to the messages. */
function describe(error: unknown): string {
  if (error instanceof DatabaseError || error instanceof StorageError) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
