/** Reads and writes many records of the store in the background. */

import type { Scheduler } from '#base';
import {
  eachEntry,
  isDamage,
  type KeyRange,
  type ReadView,
  type Store,
  type Transaction,
} from '#storage';

/** Number of entries that are read between two yields. */
const portion = 64;

/** Calls `see` for each entry, and yields to programs. Key and value are valid only during the call. */
export async function eachRecord(
  view: ReadView,
  range: KeyRange,
  scheduler: Scheduler,
  see: (key: Uint8Array, value: Uint8Array) => void,
): Promise<void> {
  let seen = 0;
  await eachEntry(view, range, ({ key, keyFrom, keyTo, value, valueFrom, valueTo }) => {
    see(key.subarray(keyFrom, keyTo), value.subarray(valueFrom, valueTo));
    return ++seen % portion === 0 ? scheduler.yield() : undefined;
  });
}

/** Number of parts of a range of records that are read separately if the whole range cannot be read. */
const partsMax = 256;

/**
 * Works like `eachRecord`, but tolerates damage. If a part of the store is damaged, the records near it are skipped, and all others are read. Some of them
 * are passed to `see` twice in that case. Returns the error of the damage, or `undefined` if there is none.
 */
export async function eachReadable(
  view: ReadView,
  range: KeyRange,
  scheduler: Scheduler,
  see: (key: Uint8Array, value: Uint8Array) => void,
): Promise<unknown> {
  try {
    await eachRecord(view, range, scheduler, see);
    return undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    for (const part of partsOf(range)) {
      try {
        await eachRecord(view, part, scheduler, see);
      } catch (again) {
        if (!isDamage(again)) throw again;
      }
    }
    return error;
  }
}

/** Divides the range by the first byte after the prefix that all of its keys share. */
function partsOf({ from, to }: KeyRange): readonly KeyRange[] {
  const bound = (byte: number) => Uint8Array.from([...from, byte]);
  return Array.from({ length: partsMax }, (_, byte) => ({
    from: byte === 0 ? from : bound(byte),
    to: byte === partsMax - 1 ? to : bound(byte + 1),
  }));
}

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Writes all changes in one commit. Returns false if the commit failed for any reason, since the records can be collected again. */
export async function commitRecords(
  store: Pick<Store, 'begin'>,
  puts: readonly Entry[],
  deletions: readonly Uint8Array[],
): Promise<boolean> {
  let transaction: Transaction | undefined;
  try {
    transaction = store.begin();
    for (const { key, value } of puts) transaction.put(key, value);
    for (const key of deletions) transaction.delete(key);
    return (await transaction.commit()).kind === 'committed';
  } catch {
    return false;
  } finally {
    transaction?.release();
  }
}
