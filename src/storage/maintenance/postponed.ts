/** Background work that could not be done now; nothing is lost, and it is tried again after a while. */

import { storeLimits } from '../contract/limits.ts';
import { isOutage, StorageError } from '../object/trouble.ts';

export class Postponed extends Error {
  readonly afterMs: number;
  /** The device has no room. */
  readonly isFull: boolean;

  constructor(message: string, afterMs: number, cause: unknown) {
    super(message, { cause });
    this.afterMs = afterMs;
    this.isFull = isFull(cause);
  }
}

/** `error`, as `Postponed` when it says that there is no room; then nothing has taken effect. */
export function postponedWhenFull(error: unknown): unknown {
  if (!isFull(error)) return error;
  return new Postponed('no room on the device', storeLimits.noRoomMs, error);
}

/** As `postponedWhenFull`; also when a remote place does not answer, or does not let us in. Of work that has changed nothing yet. */
export function postponedWhenItMayPass(error: unknown): unknown {
  if (!isOfOutage(error)) return postponedWhenFull(error);
  return new Postponed('the storage cannot be reached', storeLimits.unreachableMs, error);
}

/** A table says which part of it could not be read, and why in its cause. */
function isOfOutage(error: unknown): boolean {
  if (error instanceof StorageError) return isOutage(error);
  return error instanceof Error && error.cause !== undefined && isOfOutage(error.cause);
}

function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.trouble.kind === 'full';
}
