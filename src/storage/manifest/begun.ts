/**
 * The epoch in which an empty store was begun, where earlier ones had been claimed: their openings were cut off, or their database was taken
 * away with all that shows it. What holds anything of an earlier epoch is not this database's then, and no leftover of it.
 */

import { ByteReader, ByteWriter } from '#base';
import { epochOfTable, pairOf, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';
import { decodeManifest } from './encoding.ts';
import type { Manifest } from './manifest.ts';

const propertyName = 'begun';

/** 1 where nothing says otherwise. */
export function begunIn({ properties }: Manifest): number {
  const bytes = properties.get(propertyName);
  return bytes === undefined ? 1 : new ByteReader(bytes).varint();
}

/** The properties of a first manifest in `epoch`. */
export function propertiesBegun({ properties }: Manifest, epoch: number): Manifest['properties'] {
  if (epoch === 1) return properties;
  const writer = new ByteWriter();
  writer.varint(epoch);
  return new Map(properties).set(propertyName, writer.take());
}

/** Manifests and tables that were there before the store of `newest` was begun. Throws `foreign`. */
export async function refuseForeign(objects: ObjectStore, newest: Manifest): Promise<void> {
  const begun = begunIn(newest);
  if (begun === 1) return;
  const refuse = (object: string) => new StorageError({ kind: 'foreign', object, begun });
  for (const { name } of await objects.list(prefixes.table)) {
    if ((epochOfTable(name) ?? begun) < begun) throw refuse(name);
  }
  for (const { name } of await objects.list(prefixes.manifest)) {
    if ((pairOf(name)?.[0] ?? begun) < begun && (await holdsAnything(objects, name))) {
      throw refuse(name);
    }
  }
}

/** A writer that was replaced in its first opening leaves a manifest that speaks of nothing. */
async function holdsAnything(objects: ObjectStore, name: string): Promise<boolean> {
  const bytes = await objects.get(name);
  if (bytes === undefined) return false;
  const { number, boundary, runs, seals, log } = decodeManifest(bytes, name);
  return number > 1 || boundary > 0 || runs.length + seals.length > 0 || (log?.record ?? 0) > 0;
}
