/** Which results the relation cache keeps when it is full, and what its counters tell of it. */

import { expect, test } from 'bun:test';
import type { ReadState } from '#engine';
import {
  type CachedResult,
  RelationCache,
} from '../../src/http/program/relations/relation-cache.ts';
import { RelationCounters } from '../../src/http/program/relations/relation-counters.ts';

const state = { tables: [], changes: [] } as unknown as ReadState;
const result = (bytes: number) => ({ pieces: [], bytes }) as unknown as CachedResult;

function opened(more: { bytesMax?: number; entriesMax?: number } = {}) {
  const counters = new RelationCounters();
  const limits = { bytesMax: 1 << 20, entriesMax: 2, resultBytesMax: 10_000, ...more };
  const released: number[] = [];
  const cache = new RelationCache(limits, counters, (bytes) => released.push(bytes));
  /** A miss, after which the result is offered. */
  const make = (body: string, bytes = 100, visibilityClass = '') => {
    const isWanted = cache.missed(body);
    if (isWanted) cache.add({ visibilityClass, body }, state, result(bytes));
    return isWanted;
  };
  const has = (body: string, visibilityClass = '') =>
    cache.find({ visibilityClass, body }, state) !== undefined;
  return { counters, released, make, has };
}

test('a cache that was just made has counted nothing, and tells its limits', () => {
  const { capacityBytes, capacityEntries, resultBytesMax, ...counts } = opened().counters;
  expect([capacityBytes, capacityEntries, resultBytesMax]).toEqual([1 << 20, 2, 10_000]);
  expect(Object.values(counts)).toEqual(Object.values(counts).map(() => 0));
});

test('of results that do not fit together those are kept that are asked for most often', () => {
  const { counters, released, make, has } = opened();
  for (const body of ['a', 'b']) {
    expect([make(body), make(body)]).toEqual([false, true]);
    expect(has(body)).toBe(true);
  }
  expect(counters).toMatchObject({ admitted: 2, entries: 2, refusedFirst: 2 });
  // It is asked for less often than both.
  expect([make('c'), make('c')]).toEqual([false, true]);
  expect(has('c')).toBe(false);
  expect(counters).toMatchObject({ admitted: 2, refusedFrequency: 1, evictedCapacity: 0 });
  make('c');
  make('c');
  expect([has('c'), has('a') !== has('b')]).toEqual([true, true]);
  expect(counters).toMatchObject({ entries: 2, refusedFrequency: 2, evictedCapacity: 1 });
  expect(released).toHaveLength(1);
});

test('a large result takes the place of several small ones, and one that is too large of none', () => {
  const { counters, make, has } = opened({ bytesMax: 5_000 });
  for (const body of ['a', 'b', 'a', 'b']) make(body, 500);
  expect(counters).toMatchObject({ entries: 2, admitted: 2 });
  for (let i = 0; i < 4; i++) make('c', 3_500);
  expect([has('a'), has('b'), has('c')]).toEqual([false, false, true]);
  expect(counters).toMatchObject({ entries: 1, evictedCapacity: 2 });
  expect(counters.bytes).toBeLessThanOrEqual(5_000);
  for (let i = 0; i < 9; i++) make('d', 5_000);
  expect([has('c'), has('d')]).toEqual([true, false]);
  expect(counters.refusedSize).toBe(8);
});

test('a class that floods the cache evicts only its own results', () => {
  const { counters, make, has } = opened({ bytesMax: 40_000, entriesMax: 1000 });
  const twice = (body: string, of: string) => {
    for (let i = 0; i < 2; i++) make(body, 1000, of);
  };
  for (let i = 0; i < 4; i++) twice(`calm ${i}`, 'calm');
  for (let i = 0; i < 100; i++) {
    // Each result is requested more often than those before.
    for (let times = 0; times < 2 + i / 10; times++) make(`flood ${i}`, 1000, 'flood');
  }
  expect([0, 1, 2, 3].map((i) => has(`calm ${i}`, 'calm'))).toEqual([true, true, true, true]);
  // A quarter of 40,000 bytes has room for four results of 1,000 bytes with their bookkeeping.
  expect(counters.entries).toBe(8);
  expect(counters.evictedCapacity).toBeGreaterThan(0);
});

test('a class that is alone uses the whole cache, and gives space back to others', () => {
  const { counters, make, has } = opened({ bytesMax: 40_000, entriesMax: 1000 });
  const twice = (body: string, of: string) => [make(body, 1000, of), make(body, 1000, of)];
  for (let i = 0; i < 50; i++) twice(`a${i}`, 'a');
  const alone = counters.entries;
  expect(alone * 2_100).toBeGreaterThan(36_000);
  // Results that are requested often protect a class only from its own results.
  for (let i = 0; i < alone; i++) for (let times = 0; times < 9; times++) has(`a${i}`, 'a');
  for (let i = 0; i < 50; i++) twice(`b${i}`, 'b');
  expect([0, 1, 2, 3].every((i) => has(`b${i}`, 'b'))).toBe(true);
  expect(counters.bytes).toBeLessThanOrEqual(40_000);
  expect(counters.entries).toBeGreaterThanOrEqual(alone - 1);
});
