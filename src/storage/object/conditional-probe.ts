/** Whether a store refuses to create what exists: that only one writer succeeds stands on it. */

import type { World } from '#base';
import { probeName } from './names.ts';
import type { ObjectStore } from './store.ts';
import { StorageError } from './trouble.ts';

const attemptsMax = 3;

/** Creates an object twice, and deletes it. Throws `unfit` when it is created the second time as well. */
export async function probeConditions(objects: ObjectStore, { random }: World): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const name = probeName(random);
    const first = await objects.putIfAbsent(name, Buffer.from('first'));
    const second = await objects.putIfAbsent(name, Buffer.from('second'));
    await objects.delete([name]);
    // Everything else says nothing: one of them may have had its effect late, or twice.
    if (first !== 'committed' || second === 'unknown') continue;
    if (second === 'conflict') return;
    throw new StorageError({
      kind: 'unfit',
      detail: 'it creates an object although there is one (If-None-Match is ignored)',
    });
  }
  throw new StorageError({ kind: 'unavailable', operation: 'create', object: 'a probe' });
}
