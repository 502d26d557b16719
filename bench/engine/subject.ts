/** What both engines can be asked to do. */

import type { Entry } from './entries.ts';

export interface Subject extends AsyncDisposable {
  /** Puts `entries` in order, `batchSize` at a time; each batch is acknowledged before the next one begins. */
  put(entries: readonly Entry[], batchSize: number): Promise<void>;
  /** Brings everything to rest: nothing is left to flush or to compact. */
  settle(): Promise<void>;
  /** Reads every key, one by one; returns how many were found. */
  get(keys: readonly Uint8Array[]): number;
  /** Walks over everything and looks at each key and value; returns how many there were. */
  scan(): number | Promise<number>;
}

export interface SubjectOptions {
  /** Every batch is synced before it is acknowledged. */
  readonly isDurable: boolean;
  readonly cacheBytes: number;
}
