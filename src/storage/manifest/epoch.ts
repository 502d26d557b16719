/**
 * Writer epochs: who holds the highest `epoch/<n>` is the writer. These objects are never deleted, so that a claim,
 * once lost, stays lost.
 */

import type { World } from '#base';
import type { FenceCheck } from '../log/log.ts';
import { epochName, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';

/** Claims the next free epoch and returns it. */
export async function claimEpoch(objects: ObjectStore, world: World): Promise<number> {
  const nonce = Buffer.from(world.random.fill(new Uint8Array(16))).toString('hex');
  const body = Buffer.from(`${JSON.stringify({ nonce, claimedUnixMs: world.clock.unixMs() })}\n`);
  for (let epoch = (await highestEpoch(objects)) + 1; ; epoch++) {
    const name = epochName(epoch);
    const outcome = await objects.putIfAbsent(name, body);
    if (outcome === 'committed') return epoch;
    if (outcome === 'unknown') {
      throw new StorageError({ kind: 'io', operation: 'claim', object: name });
    }
  }
}

async function highestEpoch(objects: ObjectStore): Promise<number> {
  const newest = (await objects.list(prefixes.epoch)).at(-1);
  return newest === undefined ? 0 : Number(newest.name.slice(prefixes.epoch.length));
}

/** Looks whether somebody has claimed the epoch after `epoch`: one `stat` on a local store, answered at once. */
export function fenceCheck(objects: ObjectStore, epoch: number): FenceCheck {
  const successor = epochName(epoch + 1);
  const fenced = (found: unknown): StorageError | undefined =>
    found === undefined ? undefined : new StorageError({ kind: 'fenced', epoch, by: epoch + 1 });
  return () => {
    const found = objects.head(successor);
    return found instanceof Promise ? found.then(fenced) : fenced(found);
  };
}
