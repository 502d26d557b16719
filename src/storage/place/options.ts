/** The options of a store. Everything except the storage location has a default. */

import type { World } from '#base';
import { columnValues } from '../columns/column-codec.ts';
import { storeDefaults } from '../contract/limits.ts';
import type { BucketOptions } from '../object/s3/options.ts';
import type { ObjectCacheOptions } from '../object-cache/options.ts';
import type { SpillSpace } from '../spill/spill-space.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import type { AreaOf } from '../version/change-tracker.ts';

/** Tuning parameters for an operator. None of them changes a result. */
export interface StoreTuning {
  /** Maximum size of the block cache, which contains blocks and metadata of SSTables, in bytes. */
  readonly cacheBytes?: number;
  /** Whether every scan fills the block cache, not only scans of SSTables that are small compared with it. */
  readonly scansFillCache?: boolean;
  /** Number of bytes that a continuing scan of a remote SSTable fetches in one request. */
  readonly scanReadAheadBytes?: number;
  /** Maximum number of such requests in progress at the same time. */
  readonly scanFetchesMax?: number;
  /** Only in a bucket: maximum time in milliseconds for which a log group gathers records. */
  readonly flushIntervalMs?: number;
  /** `memory` acknowledges a commit before it is in the log. A crash can then lose the last commits, each of them entirely. */
  readonly commitDurability?: 'durable' | 'memory';
  /** Size at which a memtable is flushed to an L0 SSTable. */
  readonly memtableBytes?: number;
  /** Number of log flushes after which a memtable of any size is flushed. All log flushes within one flush interval count as one. */
  readonly logFlushesBeforeFlush?: number;
  /** Number of log bytes after which a memtable of any size is flushed. */
  readonly logBytesBeforeFlush?: number;
  /** Number of L0 SSTables at which flushing stops until some have been compacted. */
  readonly flushedTablesMax?: number;
  /** Like `flushedTablesMax`, but for L0 SSTables that can contain the same key. */
  readonly flushedTablesPerKeyMax?: number;
  /** Maximum number of memtables that are flushed at the same time. */
  readonly flushParallelism?: number;
  /** Maximum memory of all memtables together in bytes. Above it, writes stop. */
  readonly unflushedBytesMax?: number;
  /** SSTables with fewer keys have no filter. */
  readonly filterKeysMin?: number;
  readonly bloomBitsPerKey?: number;
  readonly blockBytes?: number;
  /** Directory for cached parts of SSTables in a bucket; empty for no cache. */
  readonly objectCachePath?: string;
  readonly objectCacheBytes?: number;
  readonly objectCachePartBytes?: number;
  /** Whether L0 SSTables are cached when they are written. */
  readonly objectCacheOnFlush?: boolean;
  /** Whether compacted SSTables are cached when they are written. */
  readonly objectCacheOnCompaction?: boolean;
  /** SSTables to fetch when the store opens: none, L0 only, or all that fit. */
  readonly objectCachePreload?: 'none' | 'l0' | 'all';
  readonly tableBytes?: number;
  readonly idleMs?: number;
  readonly idleFlushBytesMin?: number;
  /** Memory of the writes of one transaction in bytes above which they are written to disk. */
  readonly writeShareBytes?: number;
}

export interface StoreOptions extends StoreTuning {
  readonly storage: 'memory' | 'file' | 's3';
  /** Directory of a file store. The directory is created if it does not exist. */
  readonly path?: string;
  /** Bucket of an S3 store. */
  readonly s3?: BucketOptions;
  /** Refuses to open a directory that contains no store, instead of creating a store there. */
  readonly mustExist?: boolean;
  readonly world: World;
  /** Listening address of this process, which a second process that opens the directory reports. */
  readonly holderAddress?: string;
  /** Assigns keys to tracked ranges, whose changes `changeOf` identifies; none by default. */
  readonly areaOf?: AreaOf;
  /** Keys of a few small, essential entries that every manifest also contains, so that a damaged SSTable cannot make them unreadable. */
  readonly keptKeys?: readonly Uint8Array[];
  /**
   * Returns the disk space for transactions whose writes exceed their share, if the store is in a bucket; `undefined` if there is none:
   * the transaction then stays in memory. A store in a directory has its own space.
   */
  readonly spill?: () => SpillSpace | undefined;
  /** Encodings of the values in SSTables; columns for rows by default. */
  readonly codecs?: ValueCodecs;
}

export type CompleteOptions = Required<Omit<StoreOptions, 's3'>> & Pick<StoreOptions, 's3'>;

export function withDefaults(options: StoreOptions): CompleteOptions {
  return {
    ...storeDefaults,
    path: 'svc',
    holderAddress: '',
    mustExist: false,
    areaOf: () => undefined,
    keptKeys: [],
    spill: () => undefined,
    codecs: columnValues,
    ...defined(options),
  };
}

/** Removes members that are `undefined`, which would hide a default. */
function defined(options: StoreOptions): StoreOptions {
  const members = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as unknown as StoreOptions;
}

export type ObjectCacheTuning = Required<
  Pick<StoreTuning, `objectCache${string}` & keyof StoreTuning>
>;

export function objectCacheOptions(tuning: ObjectCacheTuning): ObjectCacheOptions {
  return {
    bytesMax: tuning.objectCacheBytes,
    partBytes: tuning.objectCachePartBytes,
    keepsFlushed: tuning.objectCacheOnFlush,
    keepsMerged: tuning.objectCacheOnCompaction,
    preload: tuning.objectCachePreload,
  };
}
