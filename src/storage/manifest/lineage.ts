/**
 * The manifests of a store as a reader sees them: in a directory `manifest/<epoch>-<number>`, in a bucket `manifest/<number>`, and in both
 * the highest name is the newest.
 */

import { decodeManifestObject } from '../bucket/manifest-object.ts';
import { manifestName, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { corruptManifest, decodeManifest } from './encoding.ts';
import type { Manifest } from './manifest.ts';

export interface Lineage {
  /** The name of the newest manifest; undefined in a new store. */
  newest(): Promise<string | undefined>;
  /** Whether no manifest is above `name` now: one listing. */
  isNewest(name: string): Promise<boolean>;
  /** Undefined when it is gone. Throws `corrupt` or `format`. */
  load(name: string): Promise<Manifest | undefined>;
}

/** `segments`: the log is made of segment files, as in a directory. `bucket`: it is made of objects. */
export type LineageKind = 'segments' | 'bucket';

export function openLineage(place: { kind: LineageKind; objects: ObjectStore }): Lineage {
  const { kind, objects } = place;
  return {
    newest: async () => (await objects.list(prefixes.manifest)).at(-1)?.name,
    isNewest: async (name) => (await objects.list(prefixes.manifest, name)).length === 0,
    load: async (name) => {
      const bytes = await objects.get(name);
      return bytes && decode(kind, bytes, name);
    },
  };
}

function decode(kind: LineageKind, bytes: Uint8Array, name: string): Manifest {
  if (kind === 'bucket') return decodeManifestObject(bytes, name).manifest;
  const manifest = decodeManifest(bytes, name);
  if (manifestName(manifest.epoch, manifest.number) !== name) {
    throw corruptManifest(name, 'it carries the number of another one');
  }
  return manifest;
}
