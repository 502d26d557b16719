/** Options and statistics of the local cache of remote SSTables (docs/storage-format.md, "Object cache"). */

export interface ObjectCacheOptions {
  /** Maximum size of all parts together. */
  readonly bytesMax: number;
  /** Size of the parts in which SSTables are fetched and cached; the last part of an SSTable is shorter. */
  readonly partBytes: number;
  /** Whether L0 SSTables are cached when they are written. */
  readonly keepsFlushed: boolean;
  /** Whether compacted SSTables are cached when they are written. */
  readonly keepsMerged: boolean;
  /** SSTables to fetch when the store opens: none, L0 only, or all that fit. */
  readonly preload: 'none' | 'l0' | 'all';
}

export interface ObjectCacheCounters {
  /** Number of reads of a part that was cached, and of one that was not. */
  hits: number;
  misses: number;
  /** Number of fetched parts, including preloaded ones. */
  fetches: number;
  fetchedBytes: number;
  stored: number;
  evicted: number;
  /** Number of parts that are fetched again because their checksums did not match. */
  damaged: number;
  /** Number of parts that the local disk could not store or return. */
  failures: number;
}

export interface ObjectCacheStatistics extends Readonly<ObjectCacheCounters> {
  /** Current number of parts. */
  readonly parts: number;
  readonly usedBytes: number;
  readonly capacityBytes: number;
}
