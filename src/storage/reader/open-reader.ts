/** Opens a store for reading. Creates, locks and claims nothing, and writes only pins. */

import { invariant, type World } from '#base';
import { columnValues } from '../columns/column-codec.ts';
import { storeDefaults } from '../contract/limits.ts';
import type { Snapshot } from '../contract/store.ts';
import type { S3Options } from '../object/s3/options.ts';
import type { ObjectCacheTuning, StoreTuning } from '../place/options.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import { TableFiles } from '../version/table-files.ts';
import { expiringObjects } from './expiry.ts';
import { Follower, type Prepare } from './follower.ts';
import { bucketReaderPlace, directoryReaderPlace, type ReaderPlace } from './reader-place.ts';
import { ReaderStore } from './reader-store.ts';

/** Tuning parameters of a reader for an operator. */
type ReaderTuning = Pick<
  StoreTuning,
  | 'cacheBytes'
  | 'scansFillCache'
  | 'scanReadAheadBytes'
  | 'scanFetchesMax'
  | keyof ObjectCacheTuning
>;

export interface ReaderOptions extends ReaderTuning {
  readonly storage: 'file' | 's3';
  /** Directory of a file store. */
  readonly path?: string;
  /** Bucket of an S3 store. */
  readonly s3?: Omit<S3Options, 'world'>;
  readonly world: World;
  /** Interval in milliseconds between polls for a newer state. */
  readonly pollMs?: number;
  readonly codecs?: ValueCodecs;
  /** Called with each new state; see `Prepare`. */
  readonly prepare?: Prepare;
}

/** Opens the store. Throws `empty` if no writer has created a store in the location. */
export async function openReader(options: ReaderOptions): Promise<ReaderStore> {
  const place = placeOf(options);
  try {
    return await openReaderIn(place, options);
  } catch (error) {
    place.close?.();
    throw error;
  }
}

function placeOf(options: ReaderOptions): ReaderPlace {
  const { storage, path, s3, world } = options;
  if (storage === 'file') return directoryReaderPlace(path ?? 'svc', world);
  invariant(s3 !== undefined, 'a store in a bucket has bucket options');
  return bucketReaderPlace({ ...storeDefaults, ...options, s3 });
}

export async function openReaderIn(
  place: ReaderPlace,
  options: Omit<ReaderOptions, 'storage'>,
): Promise<ReaderStore> {
  const { world } = options;
  const held = new Set<string>();
  const files = new TableFiles({
    objects: expiringObjects(place.objects, held),
    world,
    codecs: options.codecs ?? columnValues,
    cacheBytes: options.cacheBytes ?? storeDefaults.cacheBytes,
    scansFillCache: options.scansFillCache ?? storeDefaults.scansFillCache,
    scanReadAheadBytes: options.scanReadAheadBytes ?? storeDefaults.scanReadAheadBytes,
    scanFetchesMax: options.scanFetchesMax ?? storeDefaults.scanFetchesMax,
    ...(place.objectCache && { objectCache: place.objectCache }),
  });
  const prepare = options.prepare ?? (async (_view: Snapshot) => () => {});
  const follower = new Follower({ place, world, files, held, prepare });
  // False only if a newer manifest appeared during each attempt.
  while (!(await follower.advance())) await world.scheduler.yield();
  return new ReaderStore({
    follower,
    files,
    world,
    place,
    pollMs: options.pollMs ?? storeDefaults.pollMs,
  });
}
