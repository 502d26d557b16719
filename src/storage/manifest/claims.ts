/**
 * The stored epoch claims. Every epoch in a name of the directory has been claimed, and claims are
 * never deleted. A missing claim was lost, and a writer that claimed its epoch again would publish
 * below the newest manifest.
 */

import type { World } from '#base';
import { epochCarriedBy, epochName, epochOfClaim, prefixes } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';

/** Limits the work that a name with an absurdly high epoch can cause. */
const missingMax = 100_000;

/** Prefixes of all objects named after an epoch, except the claims themselves. */
const carriers = [prefixes.manifest, prefixes.log, prefixes.table, prefixes.pin];

interface Claims {
  /** The highest claimed epoch; 0 if there is no claim. */
  readonly highest: number;
  /**
   * Epochs without a claim that must have been claimed, in ascending order; at most the first
   * 100,000.
   */
  readonly missing: readonly number[];
  /** The name of the object that proves the claim of the last of the `missing` epochs. */
  readonly witness: string;
}

/**
 * Reads the claims, after listing all other objects, because the writer of an object has claimed
 * its epoch before.
 */
export async function readClaims(objects: ObjectStore): Promise<Claims> {
  let [carried, witness] = [0, ''];
  for (const prefix of carriers) {
    for (const { name } of await objects.list(prefix)) {
      const epoch = epochCarriedBy(name) ?? 0;
      if (epoch > carried) [carried, witness] = [epoch, name];
    }
  }
  const claimed = new Set<number>();
  for (const { name } of await objects.list(prefixes.epoch)) {
    const epoch = epochOfClaim(name);
    if (epoch !== undefined) claimed.add(epoch);
  }
  const highest = Math.max(0, ...claimed);
  if (carried <= highest) witness = epochName(highest);
  const missing: number[] = [];
  const last = Math.max(highest, carried);
  for (let epoch = 1; epoch <= last && missing.length < missingMax; epoch++) {
    if (!claimed.has(epoch)) missing.push(epoch);
  }
  return { highest, missing, witness };
}

/** Returns the highest claim. Throws `vanished` if a claim is missing. */
export async function highestClaim(objects: ObjectStore): Promise<number> {
  const { highest, missing, witness } = await readClaims(objects);
  const [epoch] = missing;
  if (epoch === undefined) return highest;
  throw new StorageError({
    kind: 'vanished',
    object: epochName(epoch),
    evidence: `${witness} shows that it was claimed`,
    lost: 'a writer that claimed it again would write below existing objects, and a later startup could not determine which are valid',
  });
}

/**
 * Writes the missing claims again and returns their names. The content of a claim is never read. No
 * other process may have the directory open.
 */
export async function restoreClaims(objects: ObjectStore, world: World): Promise<string[]> {
  const { missing } = await readClaims(objects);
  const names = missing.map(epochName);
  for (const name of names) await makeClaim(objects, world, name);
  return names;
}

/**
 * Creates a claim durably. Returns true if this process has created it, and false if it existed.
 * Throws `io` if the outcome is unknown.
 */
export async function makeClaim(
  objects: ObjectStore,
  world: World,
  name: string,
): Promise<boolean> {
  const nonce = Buffer.from(world.random.fill(new Uint8Array(16))).toString('hex');
  const body = Buffer.from(`${JSON.stringify({ nonce, claimedUnixMs: world.clock.unixMs() })}\n`);
  const outcome = await objects.putIfAbsent(name, body);
  if (outcome !== 'unknown') return outcome === 'committed';
  throw new StorageError({ kind: 'io', operation: 'claim', object: name });
}
