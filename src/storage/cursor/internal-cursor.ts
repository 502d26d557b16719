/** The cursor of a source below a read view: entries with their sequence, including tombstones. */

import type { EntryCursor } from '../contract/store.ts';

export interface InternalCursor extends EntryCursor {
  sequence: number;
  isTombstone: boolean;
}
