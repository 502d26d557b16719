/** One kind of statistics record, as the archive processes it. */

import type { KeyRange } from '#storage';
import type { Entry } from './entries.ts';

export interface Changes {
  readonly puts: readonly Entry[];
  readonly deletions: readonly Uint8Array[];
  /** Called after the changes have been committed. */
  done(): void;
}

export interface Shelf {
  /** Range of the keys of the records. */
  readonly range: KeyRange;
  /** Takes a stored record. Returns false if the record is invalid or describes an object that no longer exists. Key and value are valid only during the call. */
  see(key: Uint8Array, value: Uint8Array): boolean;
  /** Called after all records were passed to `see`, or reading them has failed. */
  seen(): void;
  /** Whether there may be changes to write. */
  readonly isPending: boolean;
  /** Returns the changes for one commit, and yields to programs. `isLast`: the process is shutting down. */
  changes(isLast: boolean): Promise<Changes>;
  /** Registers a callback for when there may be changes to write. */
  onPending(wake: () => void): void;
}

/** Maximum number of records of one kind that one commit deletes. */
export const deletionsMax = 4_096;
