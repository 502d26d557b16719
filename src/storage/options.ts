/** What a store is opened with; everything but the place has a default. */

import type { World } from '#base';

export interface StoreOptions {
  readonly storage: 'memory' | 'file';
  /** Directory of a file store; it is created if need be. */
  readonly path?: string;
  readonly world: World;
  /** Where this process listens: a second one on the directory is told. */
  readonly holderAddress?: string;
  /** Blocks and metadata of tables in memory, in bytes. */
  readonly cacheBytes?: number;
  /** `memory` acknowledges a commit before the log holds it: a crash may lose the last ones, whole. */
  readonly commitDurability?: 'durable' | 'memory';
  readonly memtableBytes?: number;
  readonly unflushedBytesMax?: number;
  readonly flushedRunsMax?: number;
  readonly blockBytes?: number;
}
