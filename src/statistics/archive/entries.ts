/** Goes over records of the store in the background, and writes them. */

import type { Scheduler } from '#base';
import {
  eachEntry,
  isDamage,
  type KeyRange,
  type ReadView,
  type Store,
  type Transaction,
} from '#storage';

/** Entries that are read at a time. */
const portion = 64;

/** Calls `see` for each entry; gives way to programs. Key and value are gone when `see` returns. */
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

/** By the first byte behind the prefix that all keys of the range have. */
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

/** One commit. False when it has not come about, for whatever reason: what records say can be found out anew. */
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
