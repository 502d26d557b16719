/**
 * Claims at rest: every epoch that a name in the directory carries has been claimed, and claims are never deleted. One that is missing was
 * lost, and claiming its epoch again would publish below the newest manifest.
 */

import type { World } from '#base';
import { epochCarriedBy, epochName, epochOfClaim, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';

/** A name that carries an absurd epoch must not keep anybody busy. */
const missingMax = 100_000;

/** Everything but the claims themselves that is named after an epoch. */
const carriers = [prefixes.manifest, prefixes.log, prefixes.table, prefixes.pin];

interface Claims {
  /** 0 when there is none. */
  readonly highest: number;
  /** Epochs without a claim that somebody must have claimed, ascending; the first ones of very many. */
  readonly missing: readonly number[];
  /** What proves that the last one of `missing` was claimed. */
  readonly witness: string;
}

/** The carriers are listed before the claims: whoever makes a name has its claim already. */
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

/** The highest claim. Throws `vanished` when one is missing. */
export async function highestClaim(objects: ObjectStore): Promise<number> {
  const { highest, missing, witness } = await readClaims(objects);
  const [epoch] = missing;
  if (epoch === undefined) return highest;
  throw new StorageError({
    kind: 'vanished',
    object: epochName(epoch),
    evidence: `${witness} shows that it was claimed`,
    lost: 'a writer that claimed it again would write below what is there, and a later start could not tell which is right',
  });
}

/** Makes the missing claims again, whose content nobody reads; returns their names. Nobody else may have the directory. */
export async function restoreClaims(objects: ObjectStore, world: World): Promise<string[]> {
  const { missing } = await readClaims(objects);
  const names = missing.map(epochName);
  for (const name of names) await makeClaim(objects, world, name);
  return names;
}

/** Whether this process has made it; durable now, whoever has. Throws `io` when that is not known. */
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
