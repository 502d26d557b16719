/**
 * The epoch in which an empty store was created although earlier epochs had been claimed. Their
 * openings were interrupted, or their database was removed with all traces of it. Data of an
 * earlier epoch therefore does not belong to this database, and is not an orphaned part of it.
 */

import { ByteReader, ByteWriter } from '#base';
import { epochOfTable, pairOf, prefixes } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { decodeManifest } from './encoding.ts';
import type { Manifest } from './manifest.ts';

const propertyName = 'begun';

/** Returns the epoch in which the store was created; 1 by default. */
export function begunIn({ properties }: Manifest): number {
  const bytes = properties.get(propertyName);
  return bytes === undefined ? 1 : new ByteReader(bytes).varint();
}

/** Returns the properties of a first manifest in `epoch`. */
export function propertiesBegun({ properties }: Manifest, epoch: number): Manifest['properties'] {
  if (epoch === 1) return properties;
  const writer = new ByteWriter();
  writer.varint(epoch);
  return new Map(properties).set(propertyName, writer.take());
}

/** Throws `foreign` if a manifest or SSTable existed before the store of `newest` was created. */
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

/**
 * Returns false for an empty manifest, which a writer leaves if it was replaced during its first
 * opening.
 */
async function holdsAnything(objects: ObjectStore, name: string): Promise<boolean> {
  const bytes = await objects.get(name);
  if (bytes === undefined) return false;
  const { number, boundary, runs, seals, log } = decodeManifest(bytes, name);
  return number > 1 || boundary > 0 || runs.length + seals.length > 0 || (log?.record ?? 0) > 0;
}
