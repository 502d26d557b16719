import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import { CachePool, type CacheShelf } from '../../../src/storage/cache/cache-pool.ts';
import { GarbageWatch } from '../../../src/storage/cache/garbage-watch.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { seededWorld } from '../object/seeded-world.ts';

const total = (shelf: CacheShelf<number>): number =>
  shelf.reduce((sum, entry) => sum + (entry?.bytes ?? 0), 0);

describe('a pool', () => {
  test('never holds more than its capacity, but for one entry', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 60 }), fc.boolean()), {
          maxLength: 200,
        }),
        (steps) => {
          const pool = new CachePool(100);
          const shelf: CacheShelf<number> = [];
          for (const [index, bytes, touches] of steps) {
            const entry = shelf[index];
            if (touches && entry !== undefined) entry.isReferenced = true;
            else pool.insert(index, bytes, shelf, index);
            expect(pool.usedBytes).toBe(total(shelf));
            expect(pool.usedBytes <= 100 || pool.entries === 1).toBe(true);
            expect(pool.entries).toBe(shelf.filter((each) => each !== undefined).length);
          }
        },
      ),
    );
  });

  test('what was hit stays, what was not goes', () => {
    const pool = new CachePool(100);
    const shelf: CacheShelf<number> = [];
    for (let i = 0; i < 10; i++) pool.insert(i, 10, shelf, i);
    pool.insert(10, 10, shelf, 10);
    for (let round = 11; round < 60; round++) {
      for (const kept of [5, 6, 7]) {
        const entry = shelf[kept];
        if (entry === undefined) throw new Error(`entry ${kept} was evicted`);
        entry.isReferenced = true;
      }
      pool.insert(round, 10, shelf, round);
    }
    expect(pool.evictions).toBe(50);
  });

  test('what a scan has left is gone before what was read for itself', () => {
    const pool = new CachePool(100);
    const shelf: CacheShelf<number> = [];
    for (let i = 0; i < 5; i++) pool.insert(i, 10, shelf, i);
    for (let i = 5; i < 10; i++) pool.insert(i, 10, shelf, i, false);
    for (let i = 10; i < 15; i++) pool.insert(i, 10, shelf, i, false);
    expect(shelf.slice(0, 5).every((entry) => entry !== undefined)).toBe(true);
  });

  test('the newest entry stays, however large', () => {
    const pool = new CachePool(10);
    const shelf: CacheShelf<number> = [];
    pool.insert(0, 5, shelf, 0);
    pool.insert(1, 500, shelf, 1);
    expect(shelf.map((entry) => entry?.content)).toEqual([undefined, 1]);
    pool.insert(2, 5, shelf, 2);
    expect(pool.usedBytes).toBe(5);
  });

  test('a cleared shelf leaves the others alone', () => {
    const pool = new CachePool(1000);
    const first: CacheShelf<number> = [];
    const second: CacheShelf<number> = [];
    for (let i = 0; i < 5; i++) {
      pool.insert(i, 10, first, i);
      pool.insert(i, 20, second, i);
    }
    pool.clear(first);
    expect([pool.usedBytes, pool.entries, total(second), total(first)]).toEqual([100, 5, 100, 0]);
  });
});

test('four fifths are for data', () => {
  const cache = new BlockCache(1000);
  expect([cache.data.capacityBytes, cache.metadata.capacityBytes]).toEqual([800, 200]);
});

test('much garbage is collected once, at the end of the turn', () => {
  const tasks: (() => void)[] = [];
  let collections = 0;
  const world = {
    ...seededWorld(1),
    collectGarbage: () => void collections++,
  };
  const scheduler = { ...world.scheduler, afterTurn: (task: () => void) => void tasks.push(task) };
  const cacheBytes = 64 << 20;
  const watch = new GarbageWatch({ ...world, scheduler });
  const cache = new BlockCache(cacheBytes, (bytes) => watch.add(bytes));
  const shelf: CacheShelf<number> = [];
  const block = 1 << 20;
  for (let i = 0; i < 51 + 63; i++) cache.data.insert(i, block, shelf, i);
  expect(tasks).toHaveLength(0);
  for (let i = 200; i < 210; i++) cache.data.insert(i, block, shelf, i);
  expect([tasks.length, collections]).toEqual([1, 0]);
  for (const task of tasks) task();
  expect(collections).toBe(1);
  cache.data.clear(shelf);
  expect(tasks).toHaveLength(1);
});

test('collections take no more than a twentieth of the time, however much is let go of', () => {
  const world = manualWorld();
  let collections = 0;
  const collectGarbage = () => {
    collections++;
    world.advance(30);
  };
  const afterTurn = (task: () => void) => task();
  const scheduler = { ...world.scheduler, afterTurn };
  const watch = new GarbageWatch({ ...world, collectGarbage, scheduler });
  for (let second = 0; second < 60; second++) {
    for (let i = 0; i < 5; i++) {
      watch.add(64 << 20);
      world.advance(200);
    }
  }
  expect(collections).toBeGreaterThan(80);
  expect(collections * 30).toBeLessThanOrEqual(0.05 * 62_000 + 30);
});

test('what was let go of during a rest is collected after it', () => {
  const world = manualWorld();
  const collected: number[] = [];
  const collectGarbage = () => {
    collected.push(world.clock.monotonicMs());
    world.advance(10);
  };
  const scheduler = { ...world.scheduler, afterTurn: (task: () => void) => task() };
  const watch = new GarbageWatch({ ...world, collectGarbage, scheduler });
  watch.add(64 << 20);
  watch.add(64 << 20);
  expect(collected).toEqual([1000]);
  world.advance(500);
  expect(collected).toEqual([1000, 1200]);
});
