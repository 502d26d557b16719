/**
 * Creates an object with unique bytes, and determines whether this succeeded even if the store does not respond clearly
 * (docs/storage-format.md, "Creating once").
 */

import { equalBytes, type World } from '#base';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { bucketLimits } from './limits.ts';
import { backoff } from './retry.ts';

/** The outcome of a creation. `taken`: the object contains bytes of another writer. */
type Creation = { readonly kind: 'won' } | { readonly kind: 'taken'; readonly bytes: Uint8Array };

/** Returns 16 random bytes that make an object unique. */
export function drawNonce({ random }: World): Uint8Array {
  return random.fill(new Uint8Array(16));
}

/**
 * Creates the object. `bytes` must contain a nonce and must not change during the call. Throws `unavailable` if the outcome cannot be
 * determined; the creation might still take effect later. If the first attempt is refused, throws that error unchanged.
 */
export async function createOnce(
  objects: ObjectStore,
  world: World,
  name: string,
  bytes: Uint8Array,
): Promise<Creation> {
  let cause: unknown;
  let refusal: unknown;
  for (let attempt = 1; attempt <= bucketLimits.createAttemptsMax; attempt++) {
    if (attempt > 1) await backoff(world, attempt - 1);
    try {
      if ((await objects.putIfAbsent(name, bytes)) === 'committed') return { kind: 'won' };
    } catch (error) {
      cause = error;
      if (attempt === 1 && isRefusal(error)) refusal = error;
    }
    // A conflict might be the response to a request that was sent twice. Only the bytes in the store show which writer created the object.
    try {
      const found = await objects.get(name);
      if (found !== undefined) {
        return equalBytes(found, bytes) ? { kind: 'won' } : { kind: 'taken', bytes: found };
      }
    } catch (error) {
      cause = error;
    }
    if (refusal !== undefined) throw refusal;
  }
  throw new StorageError({ kind: 'unavailable', operation: 'create', object: name }, cause);
}

/** Returns whether the store has understood the request and refused it. */
function isRefusal(error: unknown): boolean {
  return error instanceof StorageError && error.fault.kind !== 'unavailable';
}
