/** Reads that wait: what storage answers with a wait is asked again. */

import type { Pending } from '#base';
import type { EntryCursor, KeyRange, ReadView } from '#storage';

export async function readValue(view: ReadView, key: Uint8Array): Promise<Uint8Array | undefined> {
  for (;;) {
    const value: Uint8Array | undefined | Pending = view.get(key);
    if (!(value instanceof Promise)) return value;
    await value;
  }
}

/** Visits the entries of a range in key order until `visit` returns false. */
export async function eachEntry(
  view: ReadView,
  range: KeyRange,
  visit: (cursor: EntryCursor) => boolean,
): Promise<void> {
  const cursor = view.scan(range, 'forward');
  try {
    for (;;) {
      const step = cursor.next();
      if (step instanceof Promise) await step;
      else if (!step || !visit(cursor)) return;
    }
  } finally {
    cursor.close();
  }
}

export function keyUnder(cursor: EntryCursor): Uint8Array {
  return cursor.key.slice(cursor.keyFrom, cursor.keyTo);
}
