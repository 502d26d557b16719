/**
 * Claims a bucket by creating the next manifest, with the next epoch and the state of the newest manifest (docs/storage-format.md, "Opening
 * a bucket", 1 and 2).
 */

import type { World } from '#base';
import { noManifest } from '../manifest/manifest.ts';
import {
  decodeManifestObject,
  encodeManifestObject,
  type ManifestObject,
} from '../manifest/manifest-object.ts';
import { NewestManifestWatch } from '../manifest/newest-manifest.ts';
import { bucketManifestName, numberOf, prefixes } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectHead, ObjectStore } from '../object/store.ts';
import { createOnce, drawNonce } from './create-once.ts';
import { missingManifest, readSurvivingEpochs, refuseEmptiedBucket } from './surviving-epochs.ts';

export interface Claim extends ManifestObject {
  /** Size of the manifest in bytes. */
  readonly bytes: number;
  /** The manifests below this one. */
  readonly older: readonly ObjectHead[];
}

const nothing: ManifestObject = { manifest: noManifest, logBoundary: 0 };

/** Claims the bucket. The claim is valid only if a later listing shows no manifest above it. Throws the errors of `findNewest`. */
export async function claimBucket(objects: ObjectStore, world: World): Promise<Claim> {
  for (;;) {
    const { newest, older } = await findNewest(objects);
    const { epoch, number, boundary } = newest.manifest;
    const log = newest.manifest.log ?? { segment: 0, record: boundary };
    const manifest = { ...newest.manifest, epoch: epoch + 1, number: number + 1, log };
    const claim = { manifest, logBoundary: newest.logBoundary };
    const bytes = encodeManifestObject(claim, drawNonce(world));
    const creation = await createOnce(objects, world, bucketManifestName(number + 1), bytes);
    if (creation.kind === 'won') return { ...claim, bytes: bytes.length, older };
  }
}

interface Found {
  /** The newest manifest; of epoch 0 and number 0 in a new store. */
  readonly newest: ManifestObject;
  /** All manifests, in ascending order of names. */
  readonly older: readonly ObjectHead[];
}

/** Returns the newest manifest and the names of all. Throws `vanished` if the newest manifest is missing. */
export async function findNewest(objects: ObjectStore): Promise<Found> {
  const newestWatch = new NewestManifestWatch();
  for (;;) {
    const survivors = await readSurvivingEpochs(objects);
    const older = await listManifests(objects);
    const last = older.at(-1);
    const newest = last === undefined ? nothing : await load(objects, last.name);
    // The manifest was collected after the listing, so a newer one exists.
    if (newest === undefined) {
      newestWatch.noteMissing(last?.name as string);
      continue;
    }
    const { epoch, number } = newest.manifest;
    const missing = missingManifest(survivors, newest.manifest);
    // A fenced writer might have created the listed name again after it was collected. In that case a higher manifest exists by now.
    if (missing !== undefined && (await overtaken(objects, epoch, number)) !== undefined) continue;
    if (missing !== undefined) throw missing;
    if (older.length === 0) await refuseEmptiedBucket(objects);
    return { newest, older };
  }
}

async function load(objects: ObjectStore, name: string): Promise<ManifestObject | undefined> {
  const bytes = await objects.get(name);
  return bytes && decodeManifestObject(bytes, name);
}

/** Returns why manifest `number` of `epoch` is no longer the newest; `undefined` if a listing shows no manifest above it. */
export async function overtaken(
  objects: ObjectStore,
  epoch: number,
  number: number,
): Promise<StorageError | undefined> {
  const newest = (await listManifests(objects, bucketManifestName(number))).at(-1)?.name;
  if (newest === undefined) return undefined;
  return new StorageError({
    kind: 'fenced',
    epoch,
    by: await epochOf(objects, newest, epoch),
  });
}

/** Returns the manifests in ascending order. Other objects under the prefix, such as a folder marker, are ignored. */
async function listManifests(objects: ObjectStore, after?: string): Promise<readonly ObjectHead[]> {
  const listed = await objects.list(prefixes.manifest, after);
  return listed.filter(({ name }) => numberOf(name) !== undefined);
}

/** Returns the epoch of a manifest for an error message. A manifest that cannot be read has at least the next epoch. */
async function epochOf(objects: ObjectStore, name: string, epoch: number): Promise<number> {
  try {
    const found = await load(objects, name);
    return found?.manifest.epoch ?? epoch + 1;
  } catch {
    return epoch + 1;
  }
}
