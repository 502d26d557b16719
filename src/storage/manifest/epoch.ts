/**
 * Writer epochs: the process that has created the highest `epoch/<n>` is the writer. These objects
 * are never deleted, so that a lost claim stays lost.
 */

import type { World } from '#base';
import type { FenceCheck } from '../log/log.ts';
import { epochName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { highestClaim, makeClaim } from './claims.ts';

/** Claims the next free epoch and returns it. Throws `vanished` if an earlier claim is missing. */
export async function claimEpoch(objects: ObjectStore, world: World): Promise<number> {
  const highest = await highestClaim(objects);
  // The writer of the highest claim may not have synced it yet. If a power loss left only the later
  // claim, this would look like damage.
  if (highest > 0) await makeClaim(objects, world, epochName(highest));
  for (let epoch = highest + 1; ; epoch++) {
    if (await makeClaim(objects, world, epochName(epoch))) return epoch;
  }
}

/**
 * Returns a function that checks whether another writer has claimed the epoch after `epoch`. On a
 * local store the check is synchronous and costs one `stat`.
 */
export function fenceCheck(objects: ObjectStore, epoch: number): FenceCheck {
  const successor = epochName(epoch + 1);
  const fenced = (found: unknown): StorageError | undefined =>
    found === undefined ? undefined : new StorageError({ kind: 'fenced', epoch, by: epoch + 1 });
  return () => {
    const found = objects.head(successor);
    return found instanceof Promise ? found.then(fenced) : fenced(found);
  };
}
