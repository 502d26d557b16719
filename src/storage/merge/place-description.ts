/** A storage location as plain data, with which another thread opens the same objects. */

import type { World } from '#base';
import { type ComponentStores, componentStores } from '../object/component-requests.ts';
import { fileStore } from '../object/file-store.ts';
import { type BucketOptions, s3Defaults } from '../object/s3/options.ts';
import { s3Store } from '../object/s3/s3-store.ts';
import { directoryAt } from '../object/system-directory.ts';

export type PlaceDescription =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 's3'; readonly s3: Omit<BucketOptions, 'transport'> };

/**
 * Returns the cloneable options of a bucket; `undefined` if it has a custom transport, which cannot
 * be sent to another thread.
 */
export function describeBucket(s3: BucketOptions): PlaceDescription | undefined {
  if (s3.transport !== undefined) return undefined;
  const { bucket, prefix, region, endpoint, credentials, credentialsFile } = s3;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const { requestTimeoutMs, attemptsMax } = { ...s3Defaults, ...s3 };
  return {
    kind: 's3',
    s3: {
      ...{ bucket, prefix, region, endpoint, requestTimeoutMs, attemptsMax },
      ...(credentialsFile && { credentialsFile }),
      credentials: {
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
      },
    },
  };
}

/**
 * Opens the objects of a storage location in which a store is open. Requests are counted if it is
 * remote.
 */
export function openObjects(
  place: PlaceDescription,
  world: World,
): Pick<ComponentStores, 'of'> & Partial<ComponentStores> {
  switch (place.kind) {
    case 'directory': {
      // The directory is not created: a store that was moved away may be moved back under its name.
      const store = fileStore(directoryAt(place.path), world.random);
      return { of: () => store };
    }
    case 's3':
      return componentStores(s3Store({ ...place.s3, world }), world.clock);
  }
}
