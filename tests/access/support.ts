/** Reproducible random bytes, keys and catalogs for tests of access control. */

import { type ApiKey, drawKey, hashOfKey, readKeyWish } from '#access';
import type { Random } from '#base';
import { DatabaseError, type Failure } from '#failure';
import { catalogOf, posts, users } from '../catalog/support.ts';
import { seededRandom } from '../support/seeded-random.ts';

export function bytesOfSeed(seed: number): Random {
  const unit = seededRandom(seed);
  return { unit, fill: (target) => target.map((_, i) => (target[i] = unit() * 256)) };
}

export const catalog = catalogOf(users, posts);

/** A key of a seed. */
export function keyOf(seed: number, more: Partial<ApiKey> = {}): ApiKey {
  const { id, text } = drawKey(bytesOfSeed(seed));
  const rights = readKeyWish({ name: `key ${seed}`, scopes: ['read'] }, catalog);
  return { ...rights, id, hash: hashOfKey(text), createdAtMs: 1000, by: 'open', ...more };
}

export function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof DatabaseError) return error.failure;
    throw error;
  }
  throw new Error('it did not fail');
}
