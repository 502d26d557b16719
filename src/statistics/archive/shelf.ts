/** One kind of statistics records, as the archive goes over them. */

import type { KeyRange } from '#storage';
import type { Entry } from './entries.ts';

export interface Changes {
  readonly puts: readonly Entry[];
  readonly deletions: readonly Uint8Array[];
  /** They are in the store. */
  done(): void;
}

export interface Shelf {
  /** Keys of the records. */
  readonly range: KeyRange;
  /** A record that the store has; false where it is wrong, or about what is gone. Key and value are gone when this returns. */
  see(key: Uint8Array, value: Uint8Array): boolean;
  /** All records were seen, or could not be. */
  seen(): void;
  /** There may be something to write. */
  readonly isPending: boolean;
  /** What one commit is to write. `isLast`: the process ends. Gives way to programs. */
  changes(isLast: boolean): Promise<Changes>;
  /** From now on this is called when there may be something to write. */
  onPending(wake: () => void): void;
}

/** Records of one kind that one commit deletes. */
export const deletionsMax = 4_096;
