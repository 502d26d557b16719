/** What reads of a range would fetch from a bucket, by what is in memory and on the local disk. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import type { StoreTuning } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { storeDefaults } from '../../../src/storage/contract/limits.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { assumedReadMicros } from '../../../src/storage/object/read-latency.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { ObjectCache } from '../../../src/storage/object-cache/object-cache.ts';
import {
  bucketLocation,
  memoryLocation,
  type StorageLocation,
} from '../../../src/storage/place/location.ts';
import { objectCacheOptions } from '../../../src/storage/place/options.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { take, write } from '../transaction/support.ts';

const small = { memtableBytes: 40_000, tableBytes: 100_000, blockBytes: 1_024, filterKeysMin: 0 };
const total = 4_000;
const rowsOfBlock = 24;

const key = (i: number) => `k${String(i).padStart(5, '0')}`;
/** No two are alike, so that they take their room in the blocks. */
const value = (i: number) => [i, -i, i * 7].map((seed) => Bun.hash(`${seed}`).toString(36)).join();
const range = (from: number, to: number) => ({
  from: Buffer.from(key(from)),
  to: Buffer.from(key(to)),
});
const everything = { from: new Uint8Array(), to: undefined };

/** Reads of tables take a turn. */
function bucket(): ObjectStore {
  const memory = memoryStore();
  return {
    ...memory,
    async openRead(name) {
      const reader = await memory.openRead(name);
      return {
        ...reader,
        remote: { isLocal: () => false, partBytes: undefined },
        readInto: async (offset, target) => reader.readInto(offset, target),
      };
    },
  };
}

const world = systemWorld();
const openIn = (place: StorageLocation, tuning: StoreTuning = {}) =>
  openStoreIn(place, { storage: 'memory', world, ...small, ...tuning });
const openBucket = (objects: ObjectStore, tuning?: StoreTuning) =>
  openIn({ ...bucketLocation(objects, 1), publishIntervalMs: 0 }, tuning);

async function fill(store: LsmStore): Promise<void> {
  for (let from = 0; from < total; from += 500) {
    const entries = Array.from({ length: 500 }, (_, i) => [key(from + i), value(from + i)]);
    await write(store, Object.fromEntries(entries));
  }
  await store.tidy();
}

async function filledBucket(): Promise<ObjectStore> {
  const objects = bucket();
  const store = await openBucket(objects);
  await fill(store);
  await store.close();
  return objects;
}

async function scan(store: LsmStore, of: ReturnType<typeof range> | typeof everything) {
  const view = store.snapshot();
  await take(view.scan(of, 'forward'));
  view.release();
}

test('nothing of a store on this machine', async () => {
  const store = await openIn(memoryLocation());
  await fill(store);
  expect(store.statistics().runs.length).toBeGreaterThan(0);
  expect(store.remoteReads(everything)).toBeUndefined();
  await store.close();
});

test('nothing of what is in the memtable alone', async () => {
  const store = await openBucket(bucket());
  await write(store, { a: '1' });
  expect(store.remoteReads(everything)).toBeUndefined();
  await store.close();
});

test('all of a bucket that was just opened, by the sizes of its tables; block by block once they are known', async () => {
  const store = await openBucket(await filledBucket(), { cacheBytes: 4 << 20 });
  const unread = store.remoteReads(everything);
  expect(unread).toMatchObject({ micros: assumedReadMicros, cold: unread?.pieces as number });
  // One row of each table brings its index.
  for (let i = 0; i < total; i += 100) await scan(store, range(i, i + 1));
  const known = store.remoteReads(everything);
  const blocks = known?.pieces as number;
  expect(blocks).toBeGreaterThan(total / rowsOfBlock / 2);
  expect(blocks).toBeLessThan(total);
  expect(known?.cold).toBeGreaterThan(blocks / 2);
  expect(known?.cold).toBeLessThan(blocks);
  expect(store.remoteReads({ from: Buffer.from('z'), to: undefined })).toBeUndefined();

  await scan(store, range(0, total / 2));
  expect(store.remoteReads(range(0, total / 2))).toMatchObject({ cold: 0, scanWaits: 0 });
  const rest = store.remoteReads(range(total / 2, total));
  expect(rest?.pieces).toBeGreaterThan(blocks * 0.4);
  expect(rest?.pieces).toBeLessThan(blocks * 0.6);
  expect(rest?.cold).toBeGreaterThan(blocks * 0.2);
  const half = store.remoteReads(everything);
  expect(half?.cold).toBeGreaterThan((rest?.cold as number) * 0.7);
  expect(half?.cold).toBeLessThan((rest?.cold as number) * 1.3);
  await scan(store, everything);
  expect(store.remoteReads(everything)).toMatchObject({ pieces: blocks, cold: 0, scanWaits: 0 });
  await store.close();
});

test('an estimate looks at some hundreds of blocks at most, however many tables there are', async () => {
  const blockBytes = 200;
  const small = { blockBytes, tableBytes: 20_000 };
  const filling = bucket();
  const filled = await openBucket(filling, small);
  await fill(filled);
  const tables = filled.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
  expect(tables).toBeGreaterThan(5);
  await filled.close();
  let looks = 0;
  const counting = async (name: string) => ({
    ...(await filling.openRead(name)),
    remote: {
      isLocal: () => {
        looks++;
        return false;
      },
      partBytes: undefined,
    },
  });
  const store = await openBucket({ ...filling, openRead: counting }, { ...small, cacheBytes: 1 });
  for (let i = 0; i < total; i += 20) await scan(store, range(i, i + 1));
  looks = 0;
  const blocks = store.remoteReads(everything)?.pieces as number;
  expect(blocks).toBeGreaterThan(600);
  expect(looks).toBeGreaterThan(50);
  expect(looks).toBeLessThan(256 + 2 * tables);
  await store.close();
});

test('a scan waits once for several blocks that lie beside each other', async () => {
  const objects = await filledBucket();
  const waits = async (scanReadAheadBytes: number, scanFetchesMax: number) => {
    const store = await openBucket(objects, { scanReadAheadBytes, scanFetchesMax });
    const found = store.remoteReads(everything);
    await store.close();
    return found?.scanWaits as number;
  };
  const one = await waits(4_096, 1);
  expect(one).toBeGreaterThan(12);
  expect(await waits(4_096, 4)).toBeCloseTo(one / 4, 5);
  // One for each table.
  expect(await waits(1 << 20, 1)).toBe(3);
});

test('of parts on the local disk, those that are not there', async () => {
  const remote = await filledBucket();
  const io = new FaultyDirectory(seededRandom(1), {});
  const tuning = { objectCachePartBytes: 16 << 10, cacheBytes: 1 };
  const options = objectCacheOptions({ ...storeDefaults, ...tuning });
  const { clock } = world;
  const cache = new ObjectCache({ remote, io, directory: 'parts', clock, options });
  const place = { ...bucketLocation(cache.objects, 1), objectCache: cache };
  const store = await openIn(place, tuning);
  const bytes = store.statistics().runs.reduce((sum, run) => sum + run.bytes, 0);
  const before = store.remoteReads(everything);
  expect(before?.cold).toBe(before?.pieces as number);
  expect(before?.pieces).toBeGreaterThanOrEqual(bytes / (16 << 10));
  await scan(store, everything);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(store.remoteReads(everything)).toMatchObject({ cold: 0 });
  await store.close();
});
