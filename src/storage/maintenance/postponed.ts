/**
 * An error of background work that is not possible now. Nothing is lost, and the work is repeated
 * after a while.
 */

import { storeLimits } from '../contract/limits.ts';
import { isOutage, StorageError } from '../object/storage-fault.ts';

export class Postponed extends Error {
  readonly afterMs: number;
  /** Whether the device is full. */
  readonly isFull: boolean;

  constructor(message: string, afterMs: number, cause: unknown) {
    super(message, { cause });
    this.afterMs = afterMs;
    this.isFull = isFull(cause);
  }
}

/** Returns `error`, as `Postponed` if the device is full; the work then has had no effect. */
export function postponedWhenFull(error: unknown): unknown {
  if (!isFull(error)) return error;
  return new Postponed('the device is full', storeLimits.noRoomMs, error);
}

/**
 * Does the same as `postponedWhenFull`, also if a remote storage location does not respond or
 * denies access. Use it only for work that has not changed anything yet.
 */
export function postponedWhenItMayPass(error: unknown): unknown {
  if (!isOfOutage(error)) return postponedWhenFull(error);
  return new Postponed('the storage location cannot be reached', storeLimits.unreachableMs, error);
}

/**
 * Returns true for an outage. The error of an SSTable names the unreadable part and has the storage
 * fault as its cause.
 */
function isOfOutage(error: unknown): boolean {
  if (error instanceof StorageError) return isOutage(error);
  return error instanceof Error && error.cause !== undefined && isOfOutage(error.cause);
}

function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.fault.kind === 'full';
}
