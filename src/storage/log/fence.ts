/** Why something failed: a writer that was replaced meets many failures, and all of them have the same reason. */

import { type StorageError, storageError } from '../object/trouble.ts';
import type { FenceCheck } from './log.ts';

/** `cause` as a StorageError; `fenced` instead when the epoch is no longer ours. */
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
