/**
 * The object `runtime` records that a store was opened in this location, and in which epoch last.
 * The first writer creates it once its first manifest is confirmed, and it is never deleted. If a
 * location has this object and no manifest, its database is lost. If a location has neither, it is
 * new, or its first opening was interrupted before any acknowledgment.
 */

import { crc32, type World } from '#base';
import { runtimeName } from '../object/names.ts';
import type { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';

interface Emptied {
  readonly objects: ObjectStore;
  readonly hasManifest: () => Promise<boolean>;
  /**
   * Returns the failure that a manifest of `epoch`, or a later one, is missing, as `witness`
   * proves.
   */
  readonly missing: (epoch: number, witness: string) => StorageError;
}

/**
 * Throws `vanished` if a store was opened here and no manifest remains. Call it before claiming an
 * epoch.
 */
export async function refuseEmptied({ objects, hasManifest, missing }: Emptied): Promise<void> {
  if (await hasManifest()) return;
  const content = await objects.get(runtimeName);
  // Another writer may have published the first manifest meanwhile.
  if (content === undefined || (await hasManifest())) return;
  throw missing(epochIn(content), runtimeName);
}

/**
 * Returns the last epoch in which a writer recorded that it works here, with its own confirmed
 * manifest; 0 if there is none.
 */
export async function lastOpened(objects: ObjectStore): Promise<number> {
  const content = await objects.get(runtimeName);
  return content === undefined ? 0 : epochIn(content);
}

/**
 * Creates the mark of an opened store if it does not exist. Call it only once a manifest of `epoch`
 * is confirmed, and before any record is acknowledged.
 */
export async function markOpened(objects: ObjectStore, world: World, epoch: number): Promise<void> {
  if ((await objects.head(runtimeName)) !== undefined) return;
  await objects.put(runtimeName, openedMark(world, epoch));
}

/**
 * Records each opening in the mark, so that an older copy of the manifests is detected. The
 * conditions of `markOpened` apply.
 */
export async function markEpoch(objects: ObjectStore, world: World, epoch: number): Promise<void> {
  if ((await lastOpened(objects)) >= epoch) return;
  await objects.put(runtimeName, openedMark(world, epoch));
}

/**
 * Returns the content of the mark. The token is random for each opening, so that a person can
 * determine which one wrote last.
 */
export function openedMark({ random }: Pick<World, 'random'>, epoch: number): Uint8Array {
  const token = Buffer.from(random.fill(new Uint8Array(16))).toString('hex');
  return Buffer.from(`${JSON.stringify({ epoch, token, checksum: checksumOf(epoch, token) })}\n`);
}

/**
 * Returns the epoch of a mark; 1 if the content is damaged, or was written by a program without
 * checksums.
 */
function epochIn(content: Uint8Array): number {
  const found = mark.exec(Buffer.from(content).toString());
  if (found === null) return 1;
  const [, digits = '', token = '', checksum] = found;
  const epoch = Number(digits);
  return checksum === checksumOf(epoch, token) ? epoch : 1;
}

const mark = /^\{"epoch":(\d{1,10}),"token":"([0-9a-f]{32})","checksum":"([0-9a-f]{8})"\}\n$/;

/**
 * Returns the checksum of a mark. Without it, a misread digit would refer to a manifest that never
 * existed.
 */
function checksumOf(epoch: number, token: string): string {
  return crc32(Buffer.from(`${epoch} ${token}`))
    .toString(16)
    .padStart(8, '0');
}
