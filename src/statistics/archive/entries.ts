/** Goes over records of the store in the background. */

import type { Scheduler } from '#base';
import type { KeyRange, ReadView } from '#storage';

/** Entries that are read at a time. */
const portion = 64;

/** Calls `see` for each entry; gives way to programs. Key and value are gone when `see` returns. */
export async function eachEntry(
  view: ReadView,
  range: KeyRange,
  scheduler: Scheduler,
  see: (key: Uint8Array, value: Uint8Array) => void,
): Promise<void> {
  const cursor = view.scan(range, 'forward');
  try {
    for (let seen = 0; ; ) {
      const next = cursor.next();
      if (next === false) return;
      if (next !== true) {
        await next;
        continue;
      }
      see(
        cursor.key.subarray(cursor.keyFrom, cursor.keyTo),
        cursor.value.subarray(cursor.valueFrom, cursor.valueTo),
      );
      if (++seen % portion === 0) await scheduler.yield();
    }
  } finally {
    cursor.close();
  }
}
