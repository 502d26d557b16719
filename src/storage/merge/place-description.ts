/** Where a store lives, as plain data: another thread opens the same objects by it. */

import type { World } from '#base';
import { type CountedStore, countedStore } from '../object/counted-store.ts';
import { fileStore } from '../object/file-store.ts';
import { type BucketOptions, s3Defaults } from '../object/s3/options.ts';
import { s3Store } from '../object/s3/s3-store.ts';
import { systemDirectory } from '../object/system-directory.ts';

export type PlaceDescription =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 's3'; readonly s3: Omit<BucketOptions, 'transport'> };

/** Nothing but what can be cloned; undefined with a transport of one's own, which does not reach another thread. */
export function describeBucket(s3: BucketOptions): PlaceDescription | undefined {
  if (s3.transport !== undefined) return undefined;
  const { bucket, prefix, region, endpoint, credentials } = s3;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const { requestTimeoutMs, attemptsMax } = { ...s3Defaults, ...s3 };
  return {
    kind: 's3',
    s3: {
      ...{ bucket, prefix, region, endpoint, requestTimeoutMs, attemptsMax },
      credentials: {
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
      },
    },
  };
}

/** The objects of a place that a store has been opened in; counted when they are remote. */
export function openObjects(
  place: PlaceDescription,
  world: World,
): Pick<CountedStore, 'store'> & Partial<CountedStore> {
  switch (place.kind) {
    case 'directory':
      return { store: fileStore(systemDirectory(place.path), world.random) };
    case 's3':
      return countedStore(s3Store({ ...place.s3, world }), world.clock);
  }
}
