/** The cursor of sources below a read view: entries with their version, deletions included. */

import type { EntryCursor } from '../contract/store.ts';

export interface InternalCursor extends EntryCursor {
  sequence: number;
  isDelete: boolean;
}
