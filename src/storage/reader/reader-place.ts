/** Where a reader finds a store: nothing is created, locked or claimed. */

import type { World } from '#base';
import { bucketFeed, type ManifestFeed, segmentFeed } from '../manifest/manifest-feed.ts';
import { countedStore, type ObjectStatistics } from '../object/counted-store.ts';
import { fileStore } from '../object/file-store.ts';
import type { S3Options } from '../object/s3/options.ts';
import { s3Store } from '../object/s3/s3-store.ts';
import type { ObjectStore } from '../object/store.ts';
import { directoryAt } from '../object/system-directory.ts';

export interface ReaderPlace {
  /** For people. */
  readonly name: string;
  readonly objects: ObjectStore;
  /** Counts of what was asked of `objects`, when they are remote. */
  readonly requests?: () => ObjectStatistics;
  readonly manifests: ManifestFeed;
}

export function directoryReaderPlace(path: string, world: World): ReaderPlace {
  const objects = fileStore(directoryAt(path), world.random);
  return { name: path, objects, manifests: segmentFeed(objects) };
}

export function bucketReaderPlace(s3: Omit<S3Options, 'world'>, world: World): ReaderPlace {
  const { store, statistics } = countedStore(s3Store({ ...s3, world }), world.clock);
  const manifests = bucketFeed(store);
  return { name: `bucket ${s3.bucket}`, objects: store, requests: statistics, manifests };
}
