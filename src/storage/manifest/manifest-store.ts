/**
 * Manifests as objects: finds the newest one, writes the next one and deletes old ones. The
 * manifest with the highest name is valid.
 */

import { manifestMissing } from '../log/unknown-epochs.ts';
import type { Garbage, GarbageCollector } from '../object/garbage-collector.ts';
import { epochOfTable, manifestName, pairOf, prefixes, runtimeName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { corruptManifest, decodeManifest, encodeManifest } from './encoding.ts';
import type { Manifest } from './manifest.ts';
import { NewestManifestWatch } from './newest-manifest.ts';
import { lastOpened, refuseEmptied } from './opened-marker.ts';

/**
 * Returns the newest manifest; `undefined` in a new store. Throws `corrupt` rather than falling
 * back to an older manifest.
 */
export async function loadNewestManifest(objects: ObjectStore): Promise<Manifest | undefined> {
  const newestWatch = new NewestManifestWatch();
  for (;;) {
    const name = (await listManifests(objects)).at(-1);
    if (name === undefined) return undefined;
    const bytes = await objects.get(name);
    // A missing manifest was deleted meanwhile by a writer that has a newer one.
    if (bytes !== undefined) return decodeNamed(bytes, name);
    newestWatch.noteMissing(name);
  }
}

/**
 * Decodes a manifest. Throws `corrupt` or `format`, also if it is not the manifest that `name`
 * identifies.
 */
export function decodeNamed(bytes: Uint8Array, name: string): Manifest {
  const manifest = decodeManifest(bytes, name);
  if (manifestName(manifest.epoch, manifest.number) === name) return manifest;
  throw corruptManifest(name, 'it contains the number of another manifest');
}

/** Writes a manifest, which is durable when the promise resolves. */
export async function writeManifest(objects: ObjectStore, manifest: Manifest): Promise<void> {
  const name = manifestName(manifest.epoch, manifest.number);
  const outcome = await objects.putIfAbsent(name, encodeManifest(manifest));
  if (outcome !== 'committed') {
    throw new StorageError({ kind: 'io', operation: 'publish', object: name });
  }
}

export async function deleteManifestsBefore(
  collector: GarbageCollector,
  newest: Manifest,
): Promise<void> {
  const before = manifestName(newest.epoch, newest.number);
  const listed = await collector.list(prefixes.manifest);
  const older = listed.filter(({ name }) => pairOf(name) !== undefined && name < before);
  if (older.length > 0) await collector.delete(older);
}

/**
 * Returns SSTables of earlier epochs that neither `manifest` nor a log record above its boundary
 * names; `logged` are the names in those records. SSTables of the same epoch may still be
 * incomplete.
 */
export async function orphanTables(
  collector: GarbageCollector,
  manifest: Manifest,
  logged: readonly string[] = [],
): Promise<readonly Garbage[]> {
  const named = new Set(manifest.runs.flatMap((run) => run.tables.map((table) => table.name)));
  for (const name of logged) named.add(name);
  const orphans: Garbage[] = [];
  for (const { name, bytes } of await collector.list(prefixes.table)) {
    const epoch = epochOfTable(name);
    const isOlder = epoch !== undefined && epoch < manifest.epoch;
    if (isOlder && !named.has(name)) orphans.push({ name, bytes });
  }
  return orphans;
}

/**
 * Throws `vanished` if there is an SSTable of an epoch after that of the newest manifest: the
 * manifest with which its writer began is missing.
 */
export async function refuseUnknownTables(objects: ObjectStore, newest: Manifest): Promise<void> {
  let [epoch, witness] = [newest.epoch, ''];
  for (const { name } of await objects.list(prefixes.table)) {
    const found = epochOfTable(name) ?? 0;
    if (found > epoch) [epoch, witness] = [found, name];
  }
  if (witness !== '') throw manifestMissing(epoch, witness);
}

/**
 * Throws `vanished` if a writer of a later epoch than that of the newest manifest has confirmed a
 * manifest: `manifest/` has been replaced by an older copy.
 */
export async function refuseOlderManifest(objects: ObjectStore, newest: Manifest): Promise<void> {
  const epoch = await lastOpened(objects);
  if (epoch > newest.epoch) throw manifestMissing(epoch, runtimeName);
}

/** Throws `vanished` if a store was opened in the directory once, and no manifest remains. */
export function refuseEmptiedDirectory(objects: ObjectStore): Promise<void> {
  const hasManifest = async () => (await listManifests(objects)).length > 0;
  return refuseEmptied({ objects, hasManifest, missing: manifestMissing });
}

export async function listManifests(objects: ObjectStore): Promise<readonly string[]> {
  const listed = await objects.list(prefixes.manifest);
  return listed.map(({ name }) => name).filter((name) => pairOf(name) !== undefined);
}
