/** Where a store lives, as plain data: another thread opens the same objects by it. */

import type { World } from '#base';
import { type ComponentStores, componentStores } from '../object/component-requests.ts';
import { fileStore } from '../object/file-store.ts';
import { type BucketOptions, s3Defaults } from '../object/s3/options.ts';
import { s3Store } from '../object/s3/s3-store.ts';
import { directoryAt } from '../object/system-directory.ts';

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
): Pick<ComponentStores, 'of'> & Partial<ComponentStores> {
  switch (place.kind) {
    case 'directory': {
      // Without the directory there is no store: one that was moved away comes back under its name.
      const store = fileStore(directoryAt(place.path), world.random);
      return { of: () => store };
    }
    case 's3':
      return componentStores(s3Store({ ...place.s3, world }), world.clock);
  }
}
