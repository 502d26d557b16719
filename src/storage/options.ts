/** What a store is opened with; everything but the place has a default. */

import type { World } from '#base';
import type { AreaOf } from './areas.ts';
import { storeDefaults } from './limits.ts';
import type { S3Options } from './object/s3/options.ts';
import { opaqueValues, type ValueCodecs } from './table/value-codec.ts';

export interface StoreOptions {
  readonly storage: 'memory' | 'file' | 's3';
  /** Directory of a file store; it is created if need be. */
  readonly path?: string;
  /** Bucket of an s3 store. */
  readonly s3?: Omit<S3Options, 'world'>;
  readonly world: World;
  /** Where this process listens: a second one on the directory is told. */
  readonly holderAddress?: string;
  /** `memory` acknowledges a commit before the log holds it: a crash may lose the last ones, whole. */
  readonly commitDurability?: 'durable' | 'memory';
  /** Which changes `changeOf` can name; none by default. */
  readonly areaOf?: AreaOf;
  /** In a bucket: the longest that a group of the log gathers. */
  readonly flushIntervalMs?: number;
  /** How the values of tables are laid out; as plain bytes by default. */
  readonly codecs?: ValueCodecs;
  /** Blocks and metadata of tables in memory, in bytes. */
  readonly cacheBytes?: number;
  /** Scans put blocks into the cache as well. */
  readonly scansFillCache?: boolean;
  readonly memtableBytes?: number;
  readonly unflushedBytesMax?: number;
  readonly logBytesBeforeFlush?: number;
  readonly flushedRunsMax?: number;
  readonly tableBytes?: number;
  readonly idleMs?: number;
  readonly idleFlushBytesMin?: number;
  readonly blockBytes?: number;
  readonly bloomBitsPerKey?: number;
  /** Smaller tables have no filter. */
  readonly filterKeysMin?: number;
}

export type CompleteOptions = Required<Omit<StoreOptions, 's3'>> & Pick<StoreOptions, 's3'>;

export function withDefaults(options: StoreOptions): CompleteOptions {
  return {
    ...storeDefaults,
    path: 'svc',
    holderAddress: '',
    commitDurability: 'durable',
    areaOf: () => undefined,
    codecs: opaqueValues,
    scansFillCache: false,
    ...defined(options),
  };
}

/** Without members that are undefined, which would hide a default. */
function defined(options: StoreOptions): StoreOptions {
  const members = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as unknown as StoreOptions;
}
