/**
 * Checks that a store refuses to create an object that exists. The guarantee of a single writer
 * depends on it.
 */

import type { World } from '#base';
import { probeName } from './names.ts';
import { StorageError } from './storage-fault.ts';
import type { ObjectStore } from './store.ts';

const attemptsMax = 3;

/**
 * Creates an object twice, then deletes it. Throws `unfit` if the second creation succeeds as well.
 */
export async function probeConditions(objects: ObjectStore, { random }: World): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const name = probeName(random);
    const first = await objects.putIfAbsent(name, Buffer.from('first'));
    const second = await objects.putIfAbsent(name, Buffer.from('second'));
    await objects.delete([name]);
    // Every other outcome is inconclusive: a request may have taken effect late, or twice.
    if (first !== 'committed' || second === 'unknown') continue;
    if (second === 'conflict') return;
    throw new StorageError({
      kind: 'unfit',
      detail: 'it creates an object that exists already (If-None-Match is ignored)',
    });
  }
  throw new StorageError({ kind: 'unavailable', operation: 'create', object: 'a probe' });
}
