/** Asynchronous reads of a view: if the view returns a wait, the read is repeated after it. */

import type { EntryCursor, KeyRange, ReadView } from './store.ts';

export async function readValue(view: ReadView, key: Uint8Array): Promise<Uint8Array | undefined> {
  for (;;) {
    const value = view.get(key);
    if (!(value instanceof Promise)) return value;
    await value;
  }
}

/**
 * Visits the entries of a range in key order until `visit` returns false. A promise that it returns
 * is awaited. Set `takesRuns` if `visit` takes a run at each entry.
 */
export async function eachEntry(
  view: ReadView,
  range: KeyRange,
  visit: (cursor: EntryCursor) => boolean | Promise<void> | undefined,
  takesRuns = false,
): Promise<void> {
  const cursor = view.scan(range, 'forward');
  try {
    if (takesRuns) cursor.preferRuns?.();
    for (;;) {
      const step = cursor.next();
      if (step instanceof Promise) {
        await view.until(step);
        continue;
      }
      const seen = step && visit(cursor);
      if (seen === false) return;
      if (seen instanceof Promise) await seen;
    }
  } finally {
    cursor.close();
  }
}

/** Returns a copy of the current key of a cursor. */
export function keyUnder({ key, keyFrom, keyTo }: EntryCursor): Uint8Array {
  return key.slice(keyFrom, keyTo);
}
