/** Publishing: changes that wait together share a manifest, and its failure. */

import { expect, test } from 'bun:test';
import type { World } from '#base';
import { PublishPace } from '../../../src/storage/maintenance/publish-pace.ts';
import { Publisher } from '../../../src/storage/maintenance/publisher.ts';
import type { RunChange } from '../../../src/storage/maintenance/run-changes.ts';
import type { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { withDefaults } from '../../../src/storage/place/options.ts';
import { TableFiles } from '../../../src/storage/version/table-files.ts';
import { VersionSet } from '../../../src/storage/version/version-set.ts';
import { hastyWorld } from '../assembly/place.ts';
import { Writer } from '../bucket/writer.ts';

async function publisherOf(presses = false) {
  const world = stillWorld();
  const objects = memoryStore();
  const { durable } = await Writer.open(objects);
  const versions = new VersionSet();
  const options = withDefaults({ storage: 'memory', world });
  const files = new TableFiles({ ...options, objects });
  const pace = new PublishPace({ world, intervalMs: 1_000, presses: () => presses });
  const publisher = new Publisher({ durable, versions, files, oldestView: () => undefined, pace });
  return { publisher, durable, versions, objects, world };
}

/** A change that adds a run without tables, at `level`. */
const adding = (level: number): RunChange => ({
  runs: (now) => [{ level, tables: [] }, ...now],
});

/** Time moves only by what timers wait for. */
function stillWorld(): World {
  const world = hastyWorld();
  let nowMs = 0;
  const after = (delayMs: number, task: () => void) =>
    world.scheduler.after(delayMs, () => {
      nowMs += delayMs;
      task();
    });
  const clock = { ...world.clock, monotonicMs: () => nowMs };
  return { ...world, clock, scheduler: { ...world.scheduler, after } };
}

test('changes that wait are published together, in their order', async () => {
  const { publisher, durable } = await publisherOf();
  await publisher.publish(adding(1));
  await Promise.all([2, 3, 4].map((level) => publisher.publish(adding(level))));
  expect(durable.manifest.number).toBe(3);
  expect(durable.manifest.runs.map(({ level }) => level)).toEqual([4, 3, 2, 1]);
});

test('two memtables do not share a manifest', async () => {
  const { publisher, durable, versions } = await publisherOf();
  const flushed: Memtable[] = [];
  for (const sequence of [1, 2]) {
    versions.active.put(Buffer.from('key'), Buffer.from('value'), sequence);
    versions.freeze();
    flushed.push(versions.frozen[0] as Memtable);
  }
  const changes = flushed.map((memtable) => ({ ...adding(0), flushed: memtable }));
  await Promise.all(changes.map((change) => publisher.publish(change)));
  expect(durable.manifest).toMatchObject({ number: 3, boundary: 2 });
});

test('publications are spaced, unless something presses or the store closes', async () => {
  const { publisher, world } = await publisherOf();
  const took = async (): Promise<number> => {
    const from = world.clock.monotonicMs();
    await publisher.publish(adding(1));
    return world.clock.monotonicMs() - from;
  };
  expect(await took()).toBe(0);
  expect(await took()).toBe(1_000);
  publisher.hurry();
  expect(await took()).toBe(0);
  const pressed = await publisherOf(true);
  const from = pressed.world.clock.monotonicMs();
  for (let i = 0; i < 3; i++) await pressed.publisher.publish(adding(1));
  expect(pressed.world.clock.monotonicMs() - from).toBe(0);
});

test('all who share a manifest learn that it failed', async () => {
  const { publisher, objects, durable } = await publisherOf();
  await publisher.publish(adding(1));
  await Writer.open(objects);
  const ends = await Promise.allSettled([2, 3].map((it) => publisher.publish(adding(it))));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  for (const end of ends)
    expect(String((end as PromiseRejectedResult).reason)).toContain('taken over');
  expect(durable.manifest.runs).toHaveLength(1);
});
