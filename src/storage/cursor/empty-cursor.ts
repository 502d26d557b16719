/** The empty cursor. A source without keys in a range returns it, so that a merge can leave the source out. */

import type { InternalCursor } from './internal-cursor.ts';

const nothing = new Uint8Array(0);

export const emptyCursor: InternalCursor = {
  key: nothing,
  keyFrom: 0,
  keyTo: 0,
  value: nothing,
  valueFrom: 0,
  valueTo: 0,
  sequence: 0,
  isTombstone: false,
  next: () => false,
  close: () => undefined,
};
