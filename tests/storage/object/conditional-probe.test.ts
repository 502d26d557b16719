/** Whether a store refuses to create what exists is found out before anything relies on it. */

import { expect, test } from 'bun:test';
import { probeConditions } from '../../../src/storage/object/conditional-probe.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ConditionalOutcome, ObjectStore } from '../../../src/storage/object/store.ts';
import { seededWorld } from './seeded-world.ts';

/** What `probeConditions` says of a store that answers so to creations, in turn, and all creations it was asked for. */
async function probed(...answers: readonly ConditionalOutcome[]) {
  const objects = memoryStore();
  let created = 0;
  const store: ObjectStore = {
    ...objects,
    get: (name) => objects.get(name),
    list: (prefix, after) => objects.list(prefix, after),
    delete: (names) => objects.delete(names),
    async putIfAbsent(name, body) {
      await objects.putIfAbsent(name, body);
      return answers[created++] ?? 'unknown';
    },
  };
  let trouble: unknown;
  try {
    await probeConditions(store, seededWorld(1));
  } catch (error) {
    trouble = error instanceof StorageError ? error.fault.kind : error;
  }
  return { trouble, created, left: await objects.list('') };
}

test('a store that refuses the second creation is fit', async () => {
  expect(await probed('committed', 'conflict')).toEqual({
    trouble: undefined,
    created: 2,
    left: [],
  });
});

test('one that creates an object twice is not', async () => {
  expect(await probed('committed', 'committed')).toMatchObject({ trouble: 'unfit', created: 2 });
});

test('answers that say nothing are asked for again, and not for ever', async () => {
  expect(await probed('unknown', 'conflict', 'committed', 'conflict')).toEqual({
    trouble: undefined,
    created: 4,
    left: [],
  });
  expect(await probed('conflict', 'conflict', 'committed', 'unknown')).toEqual({
    trouble: 'unavailable',
    created: 6,
    left: [],
  });
});
