/**
 * Creates an object whose bytes nobody else can have made, and finds out whether that worked however little the store answers
 * (docs/storage-format.md, "Creating once").
 */

import { equalBytes, type World } from '#base';
import type { ObjectStore } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';
import { bucketLimits } from './limits.ts';
import { pauseAfter } from './patiently.ts';

/** `taken`: somebody else's bytes stand there. */
type Creation = { readonly kind: 'won' } | { readonly kind: 'taken'; readonly bytes: Uint8Array };

/** 16 bytes that make an object unlike any other. */
export function drawNonce({ random }: World): Uint8Array {
  return random.fill(new Uint8Array(16));
}

/**
 * `bytes` must contain a nonce, and not change meanwhile. Throws `unavailable` when it cannot be found out; then it may yet take effect.
 * What is refused outright, at the first attempt, is thrown as it is.
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
    if (attempt > 1) await pauseAfter(world, attempt - 1);
    try {
      if ((await objects.putIfAbsent(name, bytes)) === 'committed') return { kind: 'won' };
    } catch (error) {
      cause = error;
      if (attempt === 1 && isRefusal(error)) refusal = error;
    }
    // A refusal may be the answer to a request that was sent twice: only what stands there says who won.
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

/** The store has understood the request and will not do it. */
function isRefusal(error: unknown): boolean {
  return error instanceof StorageError && error.trouble.kind !== 'unavailable';
}
