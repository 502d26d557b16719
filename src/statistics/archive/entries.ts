/** Goes over records of the store in the background. */

import type { Scheduler } from '#base';
import type { KeyRange, ReadView } from '#storage';
import { isDamage } from './damage.ts';

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

/** Parts of a range of records that are read apart where the whole cannot be read. */
const partsMax = 256;

/**
 * As `eachEntry`. Where a part of the store is damaged, the records near it are passed over, and the others are read. Some are seen twice then. Returns
 * what is in the way, if anything is.
 */
export async function eachReadable(
  view: ReadView,
  range: KeyRange,
  scheduler: Scheduler,
  see: (key: Uint8Array, value: Uint8Array) => void,
): Promise<unknown> {
  try {
    await eachEntry(view, range, scheduler, see);
    return undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    for (const part of partsOf(range)) {
      try {
        await eachEntry(view, part, scheduler, see);
      } catch (again) {
        if (!isDamage(again)) throw again;
      }
    }
    return error;
  }
}

/** By the first byte behind the prefix that all keys of the range have. */
function partsOf({ from, to }: KeyRange): readonly KeyRange[] {
  const bound = (byte: number) => Uint8Array.from([...from, byte]);
  return Array.from({ length: partsMax }, (_, byte) => ({
    from: byte === 0 ? from : bound(byte),
    to: byte === partsMax - 1 ? to : bound(byte + 1),
  }));
}
