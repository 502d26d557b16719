/** The cursor of a source below a read view: entries with their sequence, including tombstones. */

import type { EntryCursor } from '../contract/store.ts';
import type { EntrySpan } from '../key/entry-span.ts';

/** One version of a key, as a source stores it. */
export interface StoredEntry extends EntrySpan {
  readonly sequence: number;
}

export interface InternalCursor extends EntryCursor {
  sequence: number;
  isTombstone: boolean;
}
