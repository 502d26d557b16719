/** The cache of opened blocks, bounded in bytes: four fifths for data, one fifth for indexes and filters of tables. */

import { CachePool } from './cache-pool.ts';

const dataShare = 0.8;

/** What an opened block occupies besides its bytes: its directory object and its cache entry (an estimate). */
export const entryOverheadBytes = 500;

export class BlockCache {
  readonly data: CachePool;
  readonly metadata: CachePool;

  /** `left` is told the bytes of all that leaves. */
  constructor(capacityBytes: number, left?: (bytes: number) => void) {
    this.data = new CachePool(Math.floor(capacityBytes * dataShare), left);
    this.metadata = new CachePool(capacityBytes - this.data.capacityBytes, left);
  }
}
