/**
 * Determines the reason of a failure: a writer that was replaced meets many failures, and all have
 * the same reason.
 */

import { type StorageError, storageError } from '../object/storage-fault.ts';
import type { FenceCheck } from './log.ts';

/** Returns `cause` as a StorageError, or `fenced` if another writer has claimed a newer epoch. */
export async function blame(
  fenced: FenceCheck,
  operation: string,
  object: string,
  cause: unknown,
): Promise<StorageError> {
  const failure = storageError(operation, object, cause);
  try {
    return (await fenced()) ?? failure;
  } catch {
    return failure;
  }
}
