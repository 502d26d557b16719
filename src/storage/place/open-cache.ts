/** Opens the object cache that the options configure, over the objects of a bucket. */

import { hostname } from 'node:os';
import type { World } from '#base';
import type { S3Options } from '../object/s3/options.ts';
import type { Holder } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { type OpenedObjectCache, openObjectCache } from '../object-cache/open-object-cache.ts';
import { type ObjectCacheTuning, objectCacheOptions } from './options.ts';

export interface CachedBucket extends ObjectCacheTuning {
  readonly s3: Omit<S3Options, 'world'>;
  readonly world: World;
}

/** Opens the cache; returns `undefined` if no directory is configured for it. */
export function objectCacheOver(
  objects: ObjectStore,
  options: CachedBucket,
): OpenedObjectCache | undefined {
  const { s3, world, objectCachePath: path } = options;
  if (path === '') return undefined;
  const scope = [s3.endpoint ?? s3.region, s3.bucket, s3.prefix].join('|');
  return openObjectCache(
    objects,
    { path, scope, identity: identityOf(world) },
    { clock: world.clock, options: objectCacheOptions(options) },
  );
}

export function identityOf({ clock }: World): Omit<Holder, 'address'> {
  return { pid: process.pid, hostname: hostname(), startedUnixMs: clock.unixMs() };
}
