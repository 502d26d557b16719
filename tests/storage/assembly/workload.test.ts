/** Interleaved transactions against the model, while flushes and compactions go on all the time. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { seededRandom } from '../object/seeded-world.ts';
import { smallShape, Workload } from './workload.ts';

const tiny = { memtableBytes: 1500, blockBytes: 512, flushedTablesMax: 4, tableBytes: 3000 };

test.each([1, 2, 3, 4])('serializable by sequence, seed %p', async (seed) => {
  const options = { ...tiny, cacheBytes: seed % 2 === 0 ? 4 << 10 : 1 << 20 };
  const store = await openStore({ storage: 'memory', world: systemWorld(), ...options });
  const workload = new Workload(seededRandom(seed), { ...smallShape, keys: 40 * seed ** 2 });
  await workload.run(store, 10_000);
  await workload.settle();
  await workload.checkWhole(store.snapshot());
  const { flush, compaction, views } = store.statistics();
  expect(flush.flushes).toBeGreaterThan(40);
  expect(compaction.jobs).toBeGreaterThan(15);
  expect(workload.conflicts).toBeGreaterThan(20);
  expect(views).toBe(1);
  await store.tidy();
  await workload.checkWhole(store.snapshot());
  await store.close();
});
