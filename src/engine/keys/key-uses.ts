/** Records when API keys were last used, at most hourly for each key. A lost record only makes the time older. */

import type { KeySet } from '#access';
import { apiKeyIdIn, keyUseKey, keyUseRange } from '#catalog';
import { eachEntry, keyUnder, type ReadView, readValue } from '#storage';
import type { Database } from '../database.ts';

const hourMs = 3_600_000;
/** Time for which uses are collected before they are written in one commit. */
const collectMs = 10_000;
const timeBytes = 8;

export class KeyUses {
  private readonly database: Database;
  /** Uses that this process has noted, in Unix milliseconds. */
  private readonly noted = new Map<string, number>();
  private waiting = new Set<string>();
  private timer: { cancel(): void } | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.database = database;
  }

  /** Notes a use. Called with each request, so it is cheap if the last use was noted within an hour. */
  note(id: string): void {
    const { database, noted, waiting } = this;
    const nowMs = database.world.clock.unixMs();
    if (database.isReadOnly || nowMs - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < hourMs) return;
    noted.set(id, nowMs);
    waiting.add(id);
    this.timer ??= database.world.scheduler.after(collectMs, () => void this.flush());
  }

  /** Returns when each key was last used, in Unix milliseconds. A damaged record is ignored. */
  async all(): Promise<ReadonlyMap<string, number>> {
    const uses = new Map<string, number>();
    const view = this.database.store.snapshot();
    try {
      await eachEntry(view, keyUseRange, (cursor) => {
        const time = decodeTime(cursor.value.subarray(cursor.valueFrom, cursor.valueTo));
        if (time !== undefined) uses.set(apiKeyIdIn(keyUnder(cursor)), time);
        return true;
      });
    } finally {
      view.release();
    }
    for (const [id, time] of this.noted) uses.set(id, Math.max(time, uses.get(id) ?? 0));
    return uses;
  }

  /** Writes what was noted, and resolves also if that fails: the uses are then noted again. */
  flush(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    const ids = [...this.waiting];
    this.waiting = new Set();
    if (ids.length > 0) {
      this.writing = this.writing
        .then(() => this.write(ids))
        .catch(() => {
          for (const id of ids) this.noted.delete(id);
        });
    }
    return this.writing;
  }

  private async write(ids: readonly string[]): Promise<void> {
    const { store, keys, hasEndedWrites } = this.database;
    if (hasEndedWrites || store.pressure !== 'none') throw new Error('the store accepts no writes');
    const transaction = store.begin();
    try {
      for (const id of ids) await this.put(transaction, id, keys);
      await transaction.commit();
    } finally {
      transaction.release();
    }
  }

  /** Writes a use, unless an earlier process has written one within an hour, or the key was removed. */
  private async put(
    transaction: ReadView & { put(key: Uint8Array, value: Uint8Array): void },
    id: string,
    keys: KeySet,
  ): Promise<void> {
    const timeMs = this.noted.get(id);
    if (timeMs === undefined || keys.find(id) === undefined) return;
    const key = keyUseKey(id);
    const stored = decodeTime(await readValue(transaction, key));
    if (stored === undefined || timeMs - stored >= hourMs) transaction.put(key, encodeTime(timeMs));
    else this.noted.set(id, stored);
  }
}

function encodeTime(ms: number): Uint8Array {
  const bytes = new Uint8Array(timeBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(ms), true);
  return bytes;
}

function decodeTime(bytes: Uint8Array | undefined): number | undefined {
  if (bytes?.length !== timeBytes) return undefined;
  return Number(new DataView(bytes.buffer, bytes.byteOffset, timeBytes).getBigUint64(0, true));
}
