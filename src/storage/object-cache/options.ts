/** How a local directory keeps parts of remote tables (docs/storage-format.md, "Object cache"). */

export interface ObjectCacheOptions {
  /** Of all parts together. */
  readonly bytesMax: number;
  /** Tables are fetched and kept in parts of this size; the last one is shorter. */
  readonly partBytes: number;
  /** Flushed tables are kept from the start. */
  readonly keepsFlushed: boolean;
  /** The same for merged ones. */
  readonly keepsMerged: boolean;
  /** What is fetched at the opening. */
  readonly preload: 'none' | 'l0' | 'all';
}

export interface ObjectCacheCounters {
  /** Reads of a part that was here, and of one that was not. */
  hits: number;
  misses: number;
  /** Parts that were fetched, some of them ahead of need. */
  fetches: number;
  fetchedBytes: number;
  stored: number;
  evicted: number;
  /** Parts whose checksums did not match: they are fetched again. */
  damaged: number;
  /** Parts that the local disk did not take, or did not give. */
  failures: number;
}

export interface ObjectCacheStatistics extends Readonly<ObjectCacheCounters> {
  /** At this moment. */
  readonly parts: number;
  readonly usedBytes: number;
  readonly capacityBytes: number;
}
