/** Background work that could not be done now; nothing is lost, and it is tried again after a while. */

import { storeLimits } from './limits.ts';
import { StorageError } from './object/trouble.ts';

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

function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.trouble.kind === 'full';
}
