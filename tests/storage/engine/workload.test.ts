/** Interleaved transactions against the model, while flushes and compactions go on all the time. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { seededRandom } from '../object/seeded-world.ts';
import { Workload } from './workload.ts';

test.each([1, 2, 3, 4, 5])('serializable by sequence, seed %p', async (seed) => {
  const store = await openStore({ storage: 'memory', world: systemWorld() });
  const workload = new Workload(seededRandom(seed));
  await workload.run(store, 4000);
  await workload.settle();
  await workload.checkWhole(store.snapshot());
  expect(workload.commits).toBeGreaterThan(100);
  expect(workload.conflicts).toBeGreaterThan(20);
  await store.close();
});
