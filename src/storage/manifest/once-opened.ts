/**
 * That a store was opened here, and in which epoch last: `runtime`, which is made once the first manifest is confirmed and never deleted. A place that
 * has it and no manifest has lost its database; one that lacks both is new, or its first opening did not come to its end: nothing was acknowledged then.
 */

import { crc32, type World } from '#base';
import { runtimeName } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import type { StorageError } from '../object/trouble.ts';

interface Emptied {
  readonly objects: ObjectStore;
  readonly hasManifest: () => Promise<boolean>;
  /** The failure: a manifest of `epoch`, or a later one, is gone, as `witness` shows. */
  readonly missing: (epoch: number, witness: string) => StorageError;
}

/** To be asked before anything is claimed. Throws `vanished`. */
export async function refuseEmptied({ objects, hasManifest, missing }: Emptied): Promise<void> {
  if (await hasManifest()) return;
  const content = await objects.get(runtimeName);
  // Another writer may have made the first one meanwhile.
  if (content === undefined || (await hasManifest())) return;
  throw missing(epochIn(content), runtimeName);
}

/** The epoch in which a writer last said that it is at work here, with a manifest of its own confirmed; 0 when nobody has. */
export async function lastOpened(objects: ObjectStore): Promise<number> {
  const content = await objects.get(runtimeName);
  return content === undefined ? 0 : epochIn(content);
}

/** Only once a manifest of `epoch` is confirmed, and before any record is acknowledged. */
export async function markOpened(objects: ObjectStore, world: World, epoch: number): Promise<void> {
  if ((await objects.head(runtimeName)) !== undefined) return;
  await objects.put(runtimeName, openedMark(world, epoch));
}

/** The same, of each opening: an older copy of the manifests is known by it. */
export async function markEpoch(objects: ObjectStore, world: World, epoch: number): Promise<void> {
  if ((await lastOpened(objects)) >= epoch) return;
  await objects.put(runtimeName, openedMark(world, epoch));
}

/** Drawn anew for each opening, so that people can tell which one wrote last. */
export function openedMark({ random }: Pick<World, 'random'>, epoch: number): Uint8Array {
  const token = Buffer.from(random.fill(new Uint8Array(16))).toString('hex');
  return Buffer.from(`${JSON.stringify({ epoch, token, checksum: checksumOf(epoch, token) })}\n`);
}

/** The first one when what is there is damaged, or of a program that wrote no checksum. */
function epochIn(content: Uint8Array): number {
  const found = mark.exec(Buffer.from(content).toString());
  if (found === null) return 1;
  const [, digits = '', token = '', checksum] = found;
  const epoch = Number(digits);
  return checksum === checksumOf(epoch, token) ? epoch : 1;
}

const mark = /^\{"epoch":(\d{1,10}),"token":"([0-9a-f]{32})","checksum":"([0-9a-f]{8})"\}\n$/;

/** A digit that was misread would speak of a manifest that there never was. */
function checksumOf(epoch: number, token: string): string {
  return crc32(Buffer.from(`${epoch} ${token}`))
    .toString(16)
    .padStart(8, '0');
}
