/** What a store is opened with; everything but the place has a default. */

import type { World } from '#base';
import { columnValues } from '../columns/column-codec.ts';
import { storeDefaults } from '../contract/limits.ts';
import type { BucketOptions } from '../object/s3/options.ts';
import type { ObjectCacheOptions } from '../object-cache/options.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import type { AreaOf } from '../version/areas.ts';

/** What an operator may tune. None of it changes an answer. */
export interface StoreTuning {
  /** Blocks and metadata of tables in memory, in bytes. */
  readonly cacheBytes?: number;
  /** Scans put blocks into the cache as well, not only of tables that are small beside it. */
  readonly scansFillCache?: boolean;
  /** Of tables that are not local: a scan that goes on fetches so many bytes at once. */
  readonly scanReadAheadBytes?: number;
  /** And so many times at the same time. */
  readonly scanFetchesMax?: number;
  /** In a bucket: the longest that a group of the log gathers. */
  readonly flushIntervalMs?: number;
  /** `memory` acknowledges a commit before the log holds it: a crash may lose the last ones, whole. */
  readonly commitDurability?: 'durable' | 'memory';
  /** A memtable of this size becomes a flushed table. */
  readonly memtableBytes?: number;
  /** A memtable is flushed, whatever its size, after so many flushes of the log; those of one interval count as one. */
  readonly logFlushesBeforeFlush?: number;
  /** The same for bytes of the log. */
  readonly logBytesBeforeFlush?: number;
  /** With so many flushed tables no more are made before some have been merged. */
  readonly flushedTablesMax?: number;
  /** The same for flushed tables that may hold the same key. */
  readonly flushedTablesPerKeyMax?: number;
  /** Memtables that are written at the same time. */
  readonly flushParallelism?: number;
  /** Memory of all memtables together, beyond which writes stop. */
  readonly unflushedBytesMax?: number;
  /** Smaller tables have no filter. */
  readonly filterKeysMin?: number;
  readonly bloomBitsPerKey?: number;
  readonly blockBytes?: number;
  /** Directory for parts of tables in a bucket; none when empty. */
  readonly objectCachePath?: string;
  readonly objectCacheBytes?: number;
  readonly objectCachePartBytes?: number;
  /** Flushed tables go there at once. */
  readonly objectCacheOnFlush?: boolean;
  /** The same for merged tables. */
  readonly objectCacheOnCompaction?: boolean;
  /** Which tables are fetched at the opening. */
  readonly objectCachePreload?: 'none' | 'l0' | 'all';
  readonly tableBytes?: number;
  readonly idleMs?: number;
  readonly idleFlushBytesMin?: number;
}

export interface StoreOptions extends StoreTuning {
  readonly storage: 'memory' | 'file' | 's3';
  /** Directory of a file store; it is created if need be. */
  readonly path?: string;
  /** Bucket of an s3 store. */
  readonly s3?: BucketOptions;
  /** Refuses a directory that holds no store, instead of making one there. */
  readonly mustExist?: boolean;
  readonly world: World;
  /** Where this process listens: a second one on the directory is told. */
  readonly holderAddress?: string;
  /** Which changes `changeOf` can name; none by default. */
  readonly areaOf?: AreaOf;
  /** Of a few small entries that all else depends on: every manifest keeps them as well, so that no damaged table takes them along. */
  readonly keptKeys?: readonly Uint8Array[];
  /** How the values of tables are laid out; as plain bytes by default. */
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
    codecs: columnValues,
    ...defined(options),
  };
}

/** Without members that are undefined, which would hide a default. */
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
