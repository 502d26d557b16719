/** `physicalCost` of `GET /statistics`: counts of requests and of caches, as the store keeps them (docs/statistics.md). */

import { describe, expect, test } from 'bun:test';
import { Log2Histogram } from '#base';
import type { RequestCounts, StoreStatistics } from '#storage';
import { physicalCost } from '../../src/engine/physical-cost.ts';

const hits = (hits: number, misses: number) => ({ hits, misses });

function spread(...values: readonly number[]) {
  const histogram = new Log2Histogram();
  for (const value of values) histogram.add(value);
  return histogram.spread;
}

const none: RequestCounts = {
  ...{ requests: 0, errors: 0, bytes: 0, milliseconds: 0, longestMs: 0, active: 0, activeMax: 0 },
  ...{ micros: spread(), sizes: spread() },
};

const objects = (write: Partial<RequestCounts>): NonNullable<StoreStatistics['objects']> => ({
  ...{ read: none, range_read: none, metadata_read: none, delete: none, list: none },
  write: { ...none, ...write },
});

const costOf = (of: object, backend = 's3') =>
  physicalCost(
    { dataCache: hits(0, 0), metadataCache: hits(0, 0), ...of } as StoreStatistics,
    backend,
  );

describe('a store without remote objects', () => {
  const cost = costOf({ dataCache: hits(7, 1), metadataCache: hits(20, 2) }, 'file');

  test('has no requests, and no capability to measure them', () => {
    expect(cost).toEqual({
      basis: 'backend_physical_telemetry',
      backend: 'file',
      telemetryFormat: 1,
      capabilities: {
        requestLatency: false,
        requestBytes: false,
        requestConcurrency: false,
        cacheTiers: true,
        accessLocality: false,
      },
      requests: [],
      // Blocks and the metadata of tables lie in memory together: 27 hits, 3 misses.
      caches: [{ tier: 'memory', accesses: 30, hits: 27, hitRatePpm: 900_000 }],
    });
  });
});

describe('a store in a bucket', () => {
  test('has all classes of requests and every capability', () => {
    const cost = costOf({ objects: objects({}) });
    expect(cost.backend).toBe('s3');
    expect(cost.capabilities).toEqual({
      requestLatency: true,
      requestBytes: true,
      requestConcurrency: true,
      cacheTiers: true,
      accessLocality: true,
    });
    expect(cost.requests.map((it) => it.class).toSorted()).toEqual(
      ['delete', 'list', 'metadata_read', 'range_read', 'read', 'write'].toSorted(),
    );
  });

  test('shows a class without requests as zeros, without times, bytes and concurrency', () => {
    const { requests } = costOf({ objects: objects({}) });
    for (const { class: kind, ...request } of requests) {
      expect({ kind, ...request }).toEqual({
        ...{ kind, observedRequests: 0, errors: 0, serviceTier: 'remote' },
      });
    }
  });

  const writeOf = (own: Partial<RequestCounts>, merges?: Partial<RequestCounts>) =>
    costOf({
      objects: objects(own),
      ...(merges && { mergeObjects: objects(merges) }),
    }).requests.find((it) => it.class === 'write');

  test('has bounds of half and nearly all requests, and of the longest', () => {
    // Of 20: 12 up to 15 µs, 7 up to 1,023, one of 5,000. By rank the 10th and the 19th.
    const micros = spread(...Array(12).fill(9), ...Array(7).fill(700), 5_000);
    const sizes = spread(...Array(19).fill(3), 100);
    expect(writeOf({ requests: 20, errors: 2, micros, sizes, activeMax: 5 })).toEqual({
      class: 'write',
      observedRequests: 20,
      errors: 2,
      latencyMicros: { p50UpperBound: 15, p95UpperBound: 1_023, maximumUpperBound: 5_000 },
      bytes: { p50UpperBound: 3, p95UpperBound: 3, maximumUpperBound: 100 },
      sizeUpperBound: 128,
      concurrencyUpperBound: 8,
      serviceTier: 'remote',
    });
  });

  test.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 4],
    [5, 8],
    [1_025, 2_048],
  ])('%d at once or bytes at most are shown as up to %d', (value, bound) => {
    const shown = writeOf({ requests: 1, sizes: spread(value), activeMax: value });
    expect(shown).toMatchObject({ sizeUpperBound: bound, concurrencyUpperBound: bound });
  });

  test('shows one byte as the bound of empty objects', () => {
    expect(writeOf({ requests: 1, sizes: spread(0) })).toMatchObject({
      bytes: { p50UpperBound: 0, p95UpperBound: 0, maximumUpperBound: 0 },
      sizeUpperBound: 1,
    });
  });

  test('counts the requests of merges among its own', () => {
    const own = { requests: 3, errors: 1, micros: spread(1, 1, 1), sizes: spread(7), activeMax: 2 };
    const merges = { requests: 4, errors: 2, micros: spread(200), sizes: spread(9), activeMax: 4 };
    expect(writeOf(own, merges)).toMatchObject({
      observedRequests: 7,
      errors: 3,
      latencyMicros: { p50UpperBound: 1, p95UpperBound: 200, maximumUpperBound: 200 },
      sizeUpperBound: 16,
      concurrencyUpperBound: 4,
    });
  });

  test('has the local disk as a second tier if parts of objects are kept there', () => {
    const tiers = { dataCache: hits(1, 2), metadataCache: hits(0, 0), objects: objects({}) };
    expect(costOf({ ...tiers, objectCache: hits(5, 3) }).caches).toEqual([
      // A share is rounded down.
      { tier: 'memory', accesses: 3, hits: 1, hitRatePpm: 333_333 },
      { tier: 'local', accesses: 8, hits: 5, hitRatePpm: 625_000 },
    ]);
    expect(costOf(tiers).caches.map(({ tier }) => tier)).toEqual(['memory']);
  });

  test('has a hit rate of nothing before the first access', () => {
    expect(costOf({ objects: objects({}), objectCache: hits(0, 0) }).caches).toEqual([
      { tier: 'memory', accesses: 0, hits: 0, hitRatePpm: 0 },
      { tier: 'local', accesses: 0, hits: 0, hitRatePpm: 0 },
    ]);
  });
});
