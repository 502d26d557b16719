/** The storage location of a reader. Nothing in it is created, locked or claimed. */

import type { World } from '#base';
import { bucketFeed, type ManifestFeed, segmentFeed } from '../manifest/manifest-feed.ts';
import { type ComponentRequests, componentStores } from '../object/component-requests.ts';
import { fileStore } from '../object/file-store.ts';
import { s3Store } from '../object/s3/s3-store.ts';
import type { ObjectStore } from '../object/store.ts';
import { directoryAt } from '../object/system-directory.ts';
import type { ObjectCache } from '../object-cache/object-cache.ts';
import { type CachedBucket, objectCacheOver } from '../place/open-cache.ts';

export interface ReaderPlace {
  /** Name for messages. */
  readonly name: string;
  readonly objects: ObjectStore;
  /** Returns the requests to `objects` so far; absent if they are local. */
  readonly requests?: () => readonly ComponentRequests[];
  /** Returns the duration of reading a part of an object in microseconds, as measured by `ReadLatency`. */
  readonly readMicros?: () => number;
  readonly manifests: ManifestFeed;
  /** Parts of the objects on this machine, which `objects` reads first. */
  readonly objectCache?: ObjectCache;
  readonly close?: () => void;
}

export function directoryReaderPlace(path: string, world: World): ReaderPlace {
  const objects = fileStore(directoryAt(path), world.random);
  return { name: path, objects, manifests: segmentFeed(objects) };
}

export function bucketReaderPlace(options: CachedBucket): ReaderPlace {
  const { s3, world } = options;
  const counted = componentStores(s3Store({ ...s3, world }), world.clock);
  const store = counted.of('reader');
  const place = {
    name: `bucket ${s3.bucket}`,
    requests: counted.requests,
    readMicros: () => counted.readMicros('reader'),
    manifests: bucketFeed(store),
  };
  const cached = objectCacheOver(store, options);
  if (cached === undefined) return { ...place, objects: store };
  const { cache, close } = cached;
  return { ...place, objects: cache.objects, objectCache: cache, close };
}
