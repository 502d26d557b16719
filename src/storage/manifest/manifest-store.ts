/** Manifests as objects: finding the newest, writing the next, deleting the old. The highest name wins. */

import { manifestMissing } from '../log/unknown-epochs.ts';
import type { Garbage, GarbageCollector } from '../object/garbage-collector.ts';
import { epochOfTable, manifestName, pairOf, prefixes, runtimeName } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';
import { Absences } from './absences.ts';
import { corruptManifest, decodeManifest, encodeManifest } from './encoding.ts';
import type { Manifest } from './manifest.ts';
import { lastOpened, refuseEmptied } from './once-opened.ts';

/** The newest manifest, undefined in a new store. Throws `corrupt` rather than fall back to an older one. */
export async function loadNewestManifest(objects: ObjectStore): Promise<Manifest | undefined> {
  const absences = new Absences();
  for (;;) {
    const name = (await listManifests(objects)).at(-1);
    if (name === undefined) return undefined;
    const bytes = await objects.get(name);
    // Deleted meanwhile by a writer that has a newer one.
    if (bytes !== undefined) return decodeNamed(bytes, name);
    absences.note(name);
  }
}

/** Throws `corrupt` or `format`; also when the manifest is not the one that `name` says. */
export function decodeNamed(bytes: Uint8Array, name: string): Manifest {
  const manifest = decodeManifest(bytes, name);
  if (manifestName(manifest.epoch, manifest.number) === name) return manifest;
  throw corruptManifest(name, 'it carries the number of another one');
}

/** Durable when it resolves. */
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

/** Tables of epochs before `manifest`'s that it does not name. Those of its own epoch may be in the making. */
export async function orphanTables(
  collector: GarbageCollector,
  manifest: Manifest,
): Promise<readonly Garbage[]> {
  const named = new Set(manifest.runs.flatMap((run) => run.tables.map((table) => table.name)));
  const orphans: Garbage[] = [];
  for (const { name, bytes } of await collector.list(prefixes.table)) {
    const epoch = epochOfTable(name);
    const isOlder = epoch !== undefined && epoch < manifest.epoch;
    if (isOlder && !named.has(name)) orphans.push({ name, bytes });
  }
  return orphans;
}

/** A table of an epoch later than the newest manifest's: the manifest that its writer began with is gone. Throws `vanished`. */
export async function refuseUnknownTables(objects: ObjectStore, newest: Manifest): Promise<void> {
  let [epoch, witness] = [newest.epoch, ''];
  for (const { name } of await objects.list(prefixes.table)) {
    const found = epochOfTable(name) ?? 0;
    if (found > epoch) [epoch, witness] = [found, name];
  }
  if (witness !== '') throw manifestMissing(epoch, witness);
}

/** A writer of a later epoch than the newest manifest's had one of its own: an older copy of `manifest/` is in the place of the last one. Throws `vanished`. */
export async function refuseOlderManifest(objects: ObjectStore, newest: Manifest): Promise<void> {
  const epoch = await lastOpened(objects);
  if (epoch > newest.epoch) throw manifestMissing(epoch, runtimeName);
}

/** A store was opened in the directory once, and no manifest is left. Throws `vanished`. */
export function refuseEmptiedDirectory(objects: ObjectStore): Promise<void> {
  const hasManifest = async () => (await listManifests(objects)).length > 0;
  return refuseEmptied({ objects, hasManifest, missing: manifestMissing });
}

export async function listManifests(objects: ObjectStore): Promise<readonly string[]> {
  const listed = await objects.list(prefixes.manifest);
  return listed.map(({ name }) => name).filter((name) => pairOf(name) !== undefined);
}
