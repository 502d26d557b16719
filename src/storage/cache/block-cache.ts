/** The cache of opened blocks, bounded in bytes: four fifths for data blocks, one fifth for indexes and filters of SSTables. */

import { CachePool } from './cache-pool.ts';

const dataShare = 0.8;

/** Estimated memory of an opened block in addition to its bytes: its directory object and its cache entry. */
export const entryOverheadBytes = 500;

export class BlockCache {
  readonly data: CachePool;
  readonly metadata: CachePool;

  /** `left` is called with the size in bytes of each entry that is removed. */
  constructor(capacityBytes: number, left?: (bytes: number) => void) {
    this.data = new CachePool(Math.floor(capacityBytes * dataShare), left);
    this.metadata = new CachePool(capacityBytes - this.data.capacityBytes, left);
  }
}
