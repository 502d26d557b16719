/** Finds the newest manifest for a read-only process, in a directory or in a bucket. */

import { numberOf, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import type { Manifest } from './manifest.ts';
import { decodeManifestObject } from './manifest-object.ts';
import { decodeNamed, listManifests } from './manifest-store.ts';

export interface ManifestFeed {
  /** Returns the highest name; `undefined` if there is no manifest. */
  newestName(): Promise<string | undefined>;
  /** Reads a manifest; `undefined` if it no longer exists. Throws `corrupt` or `format`. */
  read(name: string): Promise<Manifest | undefined>;
}

export function segmentFeed(objects: ObjectStore): ManifestFeed {
  return {
    newestName: async () => (await listManifests(objects)).at(-1),
    async read(name) {
      const bytes = await objects.get(name);
      return bytes && decodeNamed(bytes, name);
    },
  };
}

export function bucketFeed(objects: ObjectStore): ManifestFeed {
  return {
    async newestName() {
      const listed = await objects.list(prefixes.manifest);
      return listed.findLast(({ name }) => numberOf(name) !== undefined)?.name;
    },
    async read(name) {
      const bytes = await objects.get(name);
      return bytes && decodeManifestObject(bytes, name).manifest;
    },
  };
}
