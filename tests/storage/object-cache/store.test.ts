/** A store on a bucket with an object cache: which tables are on the local disk, and when. */

import { describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import type { StoreTuning } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { storeDefaults } from '../../../src/storage/contract/limits.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { ReadEvidence, withReadEvidence } from '../../../src/storage/object/read-evidence.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { ObjectCache } from '../../../src/storage/object-cache/object-cache.ts';
import { bucketLocation } from '../../../src/storage/place/location.ts';
import { objectCacheOptions } from '../../../src/storage/place/options.ts';
import { readAll } from '../model.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { write } from '../transaction/support.ts';

const small = { memtableBytes: 4_000, tableBytes: 8_000, blockBytes: 1024 };
const everything = { from: new Uint8Array(), to: undefined };

/** A bucket whose reads of tables are counted, and answered late. */
function bucket() {
  const memory = memoryStore();
  const counts = { reads: 0 };
  const objects: ObjectStore = {
    ...memory,
    async openRead(name) {
      const reader = await memory.openRead(name);
      return {
        ...reader,
        async readInto(offset, target) {
          counts.reads++;
          return reader.readInto(offset, target);
        },
      };
    },
  };
  return { objects, counts };
}

interface Opened {
  readonly store: LsmStore;
  readonly cache: ObjectCache;
}

async function open(
  remote: ObjectStore,
  io: FaultyDirectory,
  tuning: StoreTuning = {},
): Promise<Opened> {
  const world = systemWorld();
  const options = objectCacheOptions({ ...storeDefaults, ...tuning });
  const { clock } = world;
  const cache = new ObjectCache({ remote, io, directory: 'parts', clock, options });
  const place = { ...bucketLocation(cache.objects, 1), publishIntervalMs: 0, objectCache: cache };
  const store = await openStoreIn(place, { storage: 'memory', world, ...small, ...tuning });
  return { store, cache };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function fill(store: LsmStore, from: number, count: number): Promise<void> {
  for (let i = from; i < from + count; i++) await write(store, { [`key ${i}`]: `${i}`.repeat(40) });
  await store.idle();
}

async function countEntries(store: LsmStore): Promise<number> {
  const view = store.snapshot();
  const entries = await readAll(view.scan(everything, 'forward'));
  view.release();
  return entries.length;
}

const directory = () => new FaultyDirectory(seededRandom(1));

describe('without asking ahead', () => {
  test('what was read once is read from the disk after a restart', async () => {
    const { objects, counts } = bucket();
    const io = directory();
    const first = await open(objects, io);
    await fill(first.store, 0, 200);
    await first.store.tidy();
    expect(await countEntries(first.store)).toBe(200);
    await settle();
    await first.store.close();
    counts.reads = 0;
    const second = await open(objects, io);
    expect(await countEntries(second.store)).toBe(200);
    expect(counts.reads).toBe(0);
    const { objectCache } = second.store.statistics();
    expect(objectCache).toMatchObject({ misses: 0, fetches: 0, fetchedBytes: 0, evicted: 0 });
    expect(objectCache?.hits).toBeGreaterThan(0);
    expect(objectCache?.parts).toBe(io.entries('parts').length);
    expect(objectCache?.usedBytes).toBeGreaterThan(0);
    expect(objectCache?.capacityBytes).toBe(storeDefaults.objectCacheBytes);
    await second.store.close();
  });

  test('a request is told what it read from the bucket, and what from the disk', async () => {
    const { objects } = bucket();
    const io = directory();
    const first = await open(objects, io);
    await fill(first.store, 0, 200);
    await first.store.tidy();
    await first.store.close();
    const readBy = async (store: LsmStore): Promise<ReadEvidence> => {
      const evidence = new ReadEvidence(systemWorld().clock);
      expect(await withReadEvidence(evidence, () => countEntries(store))).toBe(200);
      await settle();
      return evidence;
    };
    const cold = await open(objects, io);
    const fromBucket = await readBy(cold.store);
    expect(fromBucket.memoryMisses).toBeGreaterThan(0);
    expect(fromBucket.localMisses).toBeGreaterThan(0);
    expect(fromBucket.backingReads).toBeGreaterThan(0);
    expect(fromBucket.backingBytes).toBeGreaterThan(200 * 40);
    expect(await readBy(cold.store)).toMatchObject({ backingReads: 0, localMisses: 0 });
    await cold.store.close();
    const warm = await open(objects, io);
    const fromDisk = await readBy(warm.store);
    expect(fromDisk).toMatchObject({ localMisses: 0, backingReads: 0, backingBytes: 0 });
    expect(fromDisk.localHits).toBeGreaterThan(0);
    await warm.store.close();
  });
});

describe.each([
  [{ objectCacheOnFlush: true }, true, false],
  [{ objectCacheOnCompaction: true }, false, true],
  [{}, false, false],
] as const)('%j', (tuning, keepsFlushed, keepsMerged) => {
  test(`flushed tables ${keepsFlushed ? 'are' : 'are not'} kept`, async () => {
    const { objects } = bucket();
    const io = directory();
    const { store } = await open(objects, io, { ...tuning, flushedTablesMax: 8 });
    await fill(store, 0, 60);
    await settle();
    const flushed = store.statistics().runs.filter(({ level }) => level === 0).length;
    expect(flushed).toBeGreaterThan(0);
    expect(io.entries('parts')).toHaveLength(keepsFlushed ? flushed : 0);
    await store.close();
  });

  test(`merged tables ${keepsMerged ? 'are' : 'are not'} kept`, async () => {
    const { objects } = bucket();
    const io = directory();
    const { store } = await open(objects, io, tuning);
    await fill(store, 0, 300);
    await store.tidy();
    await settle();
    const { runs } = store.statistics();
    expect(runs.every(({ level }) => level > 0)).toBe(true);
    const names = new Set((await objects.list('sst/')).map(({ name }) => name.replace('/', '~')));
    const kept = io.entries('parts').filter((file) => names.has(file.split('.')[0] as string));
    const tables = runs.reduce((sum, run) => sum + run.tables, 0);
    // A merge on this thread reads its inputs through the cache; they are gone by now.
    if (keepsMerged) expect(kept).toHaveLength(tables);
    else expect(kept.length < tables || keepsFlushed).toBe(true);
    await store.close();
  });
});

test.each([
  ['none', []],
  ['l0', [0]],
  ['all', [0, 2]],
] as const)('preload %s', async (objectCachePreload, levels) => {
  const { objects } = bucket();
  const before = await open(objects, directory());
  await fill(before.store, 0, 200);
  await before.store.tidy();
  await fill(before.store, 500, 40);
  const runs = before.store.statistics().runs;
  expect(new Set(runs.map(({ level }) => level))).toEqual(new Set([0, 2]));
  await before.store.close();
  const io = directory();
  const { store } = await open(objects, io, { objectCachePreload });
  await settle();
  const wanted = runs.filter(({ level }) => (levels as readonly number[]).includes(level));
  const tables = wanted.reduce((sum, run) => sum + run.tables, 0);
  expect(io.entries('parts')).toHaveLength(tables);
  await store.close();
});
