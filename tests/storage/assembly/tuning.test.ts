/** What each store option changes, seen from outside (docs/cli.md); values and refusals are in tests/server/store-options.test.ts. */

import { describe, expect, test } from 'bun:test';
import { systemWorld, type World } from '#base';
import type { StoreTuning } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import type { LogCounters } from '../../../src/storage/contract/statistics.ts';
import { LogSpan } from '../../../src/storage/log/log-span.ts';
import type { Body, ObjectStore } from '../../../src/storage/object/store.ts';
import { memoryLocation, type StorageLocation } from '../../../src/storage/place/location.ts';
import { readAll } from '../model.ts';

const everything = { from: new Uint8Array(), to: undefined };
const keyOf = (i: number) => Buffer.from(String(i).padStart(8, '0'));
const world = systemWorld();

async function open(
  tuning: StoreTuning,
  place: StorageLocation = memoryLocation(),
): Promise<LsmStore> {
  return openStoreIn(place, { storage: 'memory', world, ...tuning });
}

async function write(store: LsmStore, from: number, count: number, valueBytes = 100) {
  const transaction = store.begin();
  const value = new Uint8Array(valueBytes);
  for (let i = from; i < from + count; i++) {
    value.fill(i * 7);
    transaction.put(keyOf(i), value);
  }
  const committed = await transaction.commit();
  transaction.release();
  expect(committed.kind).toBe('committed');
}

async function readEverything(store: LsmStore): Promise<number> {
  const view = store.snapshot();
  const shown = await readAll(view.scan(everything, 'forward'));
  view.release();
  return shown.length;
}

/** Entries of `count` keys as tables at rest. */
async function loaded(tuning: StoreTuning, count: number): Promise<LsmStore> {
  const store = await open(tuning);
  await write(store, 0, count);
  await store.tidy();
  return store;
}

const tableBytes = (store: LsmStore) =>
  store.statistics().runs.reduce((sum, run) => sum + run.bytes, 0);
const flushedTables = (store: LsmStore) =>
  store.statistics().runs.filter(({ level }) => level === 0).length;

/** A place whose tables are written only when the test says so. */
function gatedPlace(): { place: StorageLocation; underWay(): number; openGate(): void } {
  const memory = memoryLocation();
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const put = async (name: string, body: Body) => {
    if (name.startsWith('sst/') && !isOpen) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    return memory.objects.put(name, body);
  };
  const objects: ObjectStore = { ...memory.objects, put };
  return {
    place: { ...memory, objects },
    underWay: () => waiting.length,
    openGate() {
      isOpen = true;
      for (const go of waiting.splice(0)) go();
    },
  };
}

/** Lets everything happen that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await world.scheduler.yield();
}

describe('caches', () => {
  test('cacheBytes: four fifths for blocks, one for indexes', async () => {
    const store = await open({ cacheBytes: 20 << 20 });
    const { dataCache, metadataCache } = store.statistics();
    expect(dataCache.capacityBytes + metadataCache.capacityBytes).toBe(20 << 20);
    expect(dataCache.capacityBytes).toBe(16 << 20);
    await store.close();
  });

  test('scansFillCache', async () => {
    for (const scansFillCache of [false, true]) {
      const store = await loaded({ scansFillCache, cacheBytes: 20_000 }, 2000);
      expect(await readEverything(store)).toBe(2000);
      expect(store.statistics().dataCache.inserts > 0).toBe(scansFillCache);
      await store.close();
    }
  });

  test('scans of tables that fit into half of it fill it', async () => {
    const store = await loaded({}, 2000);
    expect(await readEverything(store)).toBe(2000);
    const { inserts } = store.statistics().dataCache;
    expect(inserts).toBeGreaterThan(0);
    expect(await readEverything(store)).toBe(2000);
    expect(store.statistics().dataCache.inserts).toBe(inserts);
    await store.close();
  });
});

describe('tables', () => {
  test('blockBytes: smaller blocks, more of them', async () => {
    const inserts: number[] = [];
    for (const blockBytes of [1 << 10, 16 << 10]) {
      const store = await loaded({ blockBytes, scansFillCache: true }, 2000);
      await readEverything(store);
      inserts.push(store.statistics().dataCache.inserts);
      await store.close();
    }
    const [small = 0, large = 0] = inserts;
    expect(small).toBeGreaterThan(200);
    expect(large).toBeLessThan(20);
  });

  test('bloomBitsPerKey and filterKeysMin: the size of filters, and which tables have none', async () => {
    const bytesWith = async (tuning: StoreTuning) => {
      const store = await loaded(tuning, 4000);
      const bytes = tableBytes(store);
      await store.close();
      return bytes;
    };
    const none = await bytesWith({ filterKeysMin: 4001 });
    const ten = await bytesWith({ filterKeysMin: 4000 });
    const twenty = await bytesWith({ filterKeysMin: 0, bloomBitsPerKey: 20 });
    expect(ten - none).toBeGreaterThanOrEqual((4000 * 10) / 8);
    expect(ten - none).toBeLessThan((4000 * 10) / 8 + 64);
    expect(twenty - none).toBeGreaterThanOrEqual((4000 * 20) / 8);
  });
});

describe('flushing', () => {
  test('memtableBytes: a memtable of that size becomes one table', async () => {
    const store = await open({ memtableBytes: 1 << 20, tableBytes: 64 << 10 });
    for (let i = 0; i < 3; i++) await write(store, i * 1000, 1000, 2000);
    await store.idle();
    const { flush, runs } = store.statistics();
    expect(flush.flushes).toBe(3);
    expect(runs.map(({ level, tables }) => [level, tables])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    await store.close();
    const large = await open({ memtableBytes: 16 << 20 });
    for (let i = 0; i < 3; i++) await write(large, i * 1000, 1000, 2000);
    await large.idle();
    expect(large.statistics().flush.flushes).toBe(0);
    await large.close();
  });

  test('logFlushesBeforeFlush: those of one interval count as one', () => {
    const counters: LogCounters = {
      records: 0,
      payloadBytes: 0,
      groups: 0,
      writtenBytes: 0,
      segments: 1,
    };
    let now = 0;
    const clock: World['clock'] = { unixMs: () => now, monotonicMs: () => now };
    const bounds = { logBytesBeforeFlush: 1000, logFlushesBeforeFlush: 3, flushIntervalMs: 100 };
    const span = new LogSpan({ counters }, clock, bounds);
    const asked: boolean[] = [];
    for (; now <= 260; now += 20) {
      counters.groups++;
      asked.push(span.isLong());
    }
    // At 0, 100 and 200 ms.
    expect(asked.indexOf(true)).toBe(10);
    expect(asked.slice(10)).toEqual([true, true, true, true]);
    span.restart();
    expect(span.isLong()).toBe(false);
    for (let more = 0; more < 2; more++) {
      now += 1000;
      counters.groups++;
      expect(span.isLong()).toBe(false);
    }
    now += 1000;
    counters.groups++;
    expect(span.isLong()).toBe(true);
  });

  test('logBytesBeforeFlush', async () => {
    const store = await open({ logBytesBeforeFlush: 50_000 });
    for (let i = 0; i < 10; i++) await write(store, 0, 100);
    await store.idle();
    const { flushes } = store.statistics().flush;
    expect(flushes).toBeGreaterThanOrEqual(2);
    expect(flushes).toBeLessThan(5);
    await store.close();
  });

  test('flushParallelism: so many tables are written at the same time', async () => {
    for (const flushParallelism of [1, 3]) {
      const { place, underWay, openGate } = gatedPlace();
      const store = await open({ flushParallelism, memtableBytes: 5000 }, place);
      for (let i = 0; i < 5; i++) await write(store, i * 100, 100);
      await settle();
      expect(underWay()).toBe(flushParallelism);
      openGate();
      await store.idle();
      expect(store.statistics().flush.flushes).toBe(5);
      expect(await readEverything(store)).toBe(500);
      await store.close();
    }
  });

  test('unflushedBytesMax: beyond it writes stand still', async () => {
    const { place, openGate } = gatedPlace();
    const tuning = { memtableBytes: 100_000, unflushedBytesMax: 2_000_000 };
    const store = await open(tuning, place);
    let unflushed = 0;
    for (let i = 0; store.pressure !== 'stop'; i++) {
      unflushed = store.statistics().memtables.bytes;
      expect(unflushed).toBeLessThan(2_000_000);
      await write(store, i * 100, 100, 500);
    }
    expect(unflushed).toBeGreaterThan(1_500_000);
    openGate();
    await store.idle();
    expect<string>(store.pressure).toBe('none');
    await store.close();
  });
});

describe('flushed tables', () => {
  /** The most flushed tables that were there at any time while much was written, all of it by the end. */
  async function mostFlushed(tuning: StoreTuning, isOverlapping: boolean): Promise<number> {
    const store = await open({ memtableBytes: 3000, ...tuning });
    let most = 0;
    for (let i = 0; i < 40; i++) {
      await write(store, isOverlapping ? i % 7 : i * 50, 50);
      await settle();
      most = Math.max(most, flushedTables(store));
    }
    await store.tidy();
    expect(store.statistics().flush.flushes).toBeGreaterThanOrEqual(40);
    expect(await readEverything(store)).toBe(isOverlapping ? 56 : 2000);
    await store.close();
    return most;
  }

  test.each([1, 2, 3])('never more than flushedTablesMax: %p', async (flushedTablesMax) => {
    const most = await mostFlushed({ flushedTablesMax, flushedTablesPerKeyMax: 1 }, false);
    expect(most).toBeLessThanOrEqual(flushedTablesMax);
    expect(await mostFlushed({ flushedTablesMax }, true)).toBeLessThanOrEqual(flushedTablesMax);
  });

  test('never more than flushedTablesPerKeyMax over one key, but more beside each other', async () => {
    const tuning = { flushedTablesMax: 8, flushedTablesPerKeyMax: 2 };
    expect(await mostFlushed(tuning, true)).toBeLessThanOrEqual(2);
    expect(await mostFlushed({}, true)).toBeGreaterThan(2);
  });
});

describe('commitDurability', () => {
  /** A log that takes records and never gets to the disk. */
  function deafPlace(): StorageLocation {
    const memory = memoryLocation();
    if (memory.kind !== 'segments') throw new Error('a place in memory has segments');
    const { logs } = memory;
    return {
      ...memory,
      logs: {
        recover: (recovery) => logs.recover(recovery),
        async start(recovered, fenced) {
          const log = await logs.start(recovered, fenced);
          log.durable = () => new Promise(() => {});
          return log;
        },
      },
    };
  }

  test.each(['durable', 'memory'] as const)('%s', async (commitDurability) => {
    const store = await open({ commitDurability }, deafPlace());
    const transaction = store.begin();
    transaction.put(keyOf(1), keyOf(2));
    let isAcknowledged = false;
    void transaction.commit().then(() => {
      isAcknowledged = true;
    });
    await settle();
    expect(isAcknowledged).toBe(commitDurability === 'memory');
    expect(store.durable(store.snapshot().sequence) === undefined).toBe(isAcknowledged);
  });
});
