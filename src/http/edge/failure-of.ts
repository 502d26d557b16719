/** The failure behind anything that was thrown. */

import { DatabaseError, type Failure, fail, reasons } from '#failure';
import { StorageError } from '#storage';

const causesMax = 8;

/** A fault of the server's own (status 500) gets an incident number. What lies behind it is for the log: see `describeChain`. */
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

/** An error with all its causes. */
export function describeChain(error: unknown): string {
  const parts: string[] = [];
  let link: unknown = error;
  for (let depth = 0; link !== undefined && depth < causesMax; depth++) {
    parts.push(describe(link));
    link = link instanceof Error ? link.cause : undefined;
  }
  return parts.join('; caused by ');
}

/** The names of our own errors say nothing that the texts do not. */
function describe(error: unknown): string {
  if (error instanceof DatabaseError || error instanceof StorageError) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
