/** A bucket that its processes reach over a network, through the client for S3 and all that it does about bad answers. */

import { bucketFeed } from '../../../src/storage/manifest/manifest-feed.ts';
import { decodeManifestObject } from '../../../src/storage/manifest/manifest-object.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { s3Store } from '../../../src/storage/object/s3/s3-store.ts';
import { bucketLocation } from '../../../src/storage/place/location.ts';
import type { Medium, MediumParts, StoreAtRest } from '../medium.ts';
import { transportOf } from './network.ts';
import { BucketObjects } from './objects.ts';

export const address = {
  bucket: 'b',
  prefix: '',
  region: 'r',
  endpoint: 'http://s3',
  credentials: { accessKeyId: 'a', secretAccessKey: 's' },
};

export function bucketMedium(
  shared: MediumParts,
  bucket = new BucketObjects(shared.dice.pick([2, 5, 1000])),
): Medium {
  const { scheduler, faults, dice, settings } = shared;
  const meanMs = settings.diskMs * 10;
  const slowMs = dice.pick([500, 4_000, 20_000]);
  const latencyMs = (): number => {
    if (faults.strikes('slow request')) return slowMs * dice.unit();
    return meanMs * (0.2 + dice.unit() ** 2);
  };
  return {
    async open(life, world, claimed) {
      const created = (key: string, body: Uint8Array): void => {
        if (!key.startsWith('manifest/')) return;
        const { epoch } = decodeManifestObject(body, key).manifest;
        if (epoch > life.epoch) claimed(epoch);
      };
      const parts = { bucket, life, scheduler, faults, dice, latencyMs, created };
      const objects = s3Store({ ...address, world, transport: transportOf(parts) });
      return {
        ...bucketLocation(objects, settings.store.flushIntervalMs),
        temporary: { objects: memoryStore(), hasDisk: () => true },
      };
    },
    async openReader(life, world) {
      const parts = { bucket, life, scheduler, faults, dice, latencyMs, created: () => {} };
      const objects = s3Store({ ...address, world, transport: transportOf(parts) });
      return { name: 'simulated', objects, manifests: bucketFeed(objects) };
    },
    // A process may go, the bucket stays.
    losePower: () => false,
    setRoom: () => {},
    tables: () => [...bucket.objects.keys()].filter((key) => key.startsWith('sst/')),
    manifests: () => [...bucket.objects.keys()].filter((key) => key.startsWith('manifest/')).sort(),
    take(name) {
      const body = bucket.objects.get(name) as Uint8Array;
      bucket.objects.delete(name);
      return () => void bucket.objects.set(name, body);
    },
    copy: () => bucketAtRest(bucket.clone(), shared),
  };
}

function bucketAtRest(bucket: BucketObjects, shared: MediumParts): StoreAtRest {
  const { objects } = bucket;
  const bodyOf = (name: string): Uint8Array => objects.get(name) as Uint8Array;
  return {
    medium: bucketMedium(shared, bucket),
    names: [...objects.keys()].sort(),
    bytesOf: (name) => bodyOf(name).length,
    hasRevived: (prefix) =>
      [...objects.keys()].some((name) => name.startsWith(prefix) && bucket.deleted.has(name)),
    remove: (name) => objects.delete(name),
    cut: (name, bytes) => objects.set(name, bodyOf(name).slice(0, bytes)),
  };
}
