/** Counting changes nothing, and counts everything. */

import { expect, test } from 'bun:test';
import { countedStore } from '../../../src/storage/object/counted-store.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import {
  endedRequests,
  type RequestCounts,
  requestClasses,
  sumOfRequests,
} from '../../../src/storage/object/request-counts.ts';
import type { ConditionalOutcome, ObjectReader } from '../../../src/storage/object/store.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { bytes, objectStoreContract } from './contract.ts';

objectStoreContract('counted', async () => countedStore(memoryStore(), manualWorld().clock).store);

const none: RequestCounts = {
  requests: 0,
  errors: 0,
  bytes: 0,
  milliseconds: 0,
  longestMs: 0,
  active: 0,
  activeMax: 0,
  micros: { counts: [0, 0, 0, 0, 0, 0, 0, 0], maximum: 0 },
  sizes: { counts: [0, 0, 0, 0, 0, 0, 0, 0], maximum: 0 },
};

/** Numbers of values with 0, 1, 2, ... bits, and the largest one. */
const spread = (maximum: number, ...counts: readonly number[]) => ({
  counts: [...counts, ...none.micros.counts.slice(counts.length)],
  maximum,
});

test('counts by class', async () => {
  const { store, statistics } = countedStore(memoryStore(), manualWorld().clock);
  expect(statistics()).toEqual(
    Object.fromEntries(requestClasses.map((kind) => [kind, none])) as ReturnType<typeof statistics>,
  );
  await store.put('a', [bytes('abc'), bytes('de')]);
  await store.putIfAbsent('b', bytes('1234'));
  await store.putIfAbsent('b', bytes('12345678'));
  await store.get('a');
  await store.get('never');
  await store.getRange('a', 1, 2);
  const reader = store.openRead('a') as ObjectReader;
  // Stays at once.
  expect(reader.readInto(2, new Uint8Array(9))).toBe(3);
  store.head('a');
  await store.list('');
  await store.delete(['a', 'b']);
  expect(() => store.openRead('a')).toThrow();
  const seen = (requests: number) => ({
    ...none,
    activeMax: 1,
    requests,
    micros: spread(0, requests),
  });
  expect(statistics()).toEqual({
    read: { ...seen(2), bytes: 5, sizes: spread(5, 1, 0, 0, 1) },
    range_read: { ...seen(2), bytes: 5, sizes: spread(3, 0, 0, 2) },
    metadata_read: { ...seen(3), errors: 1 },
    write: { ...seen(3), bytes: 9, sizes: spread(5, 1, 0, 0, 2) },
    delete: seen(1),
    list: seen(1),
  });
});

test('counts what is under way, how long it took, and what failed', async () => {
  const world = manualWorld();
  const gates: PromiseWithResolvers<ConditionalOutcome>[] = [];
  const seen: unknown[] = [];
  const { store, statistics } = countedStore(
    {
      ...memoryStore(),
      putIfAbsent: () => {
        const gate = Promise.withResolvers<ConditionalOutcome>();
        gates.push(gate);
        return gate.promise;
      },
    },
    world.clock,
    (...event) => seen.push(event),
  );
  const works = [0, 1, 2].map(() => store.putIfAbsent('a', bytes('abc')));
  expect(statistics().write).toEqual({ ...none, requests: 3, active: 3, activeMax: 3 });
  world.advance(10);
  gates[0]?.resolve('committed');
  await works[0];
  world.advance(20);
  gates[1]?.resolve('unknown');
  await works[1];
  gates[2]?.reject(new Error('refused'));
  await works[2]?.catch(() => {});
  expect(statistics().write).toEqual({
    requests: 3,
    errors: 2,
    bytes: 3,
    milliseconds: 70,
    longestMs: 30,
    active: 0,
    activeMax: 3,
    // 10 ms have 14 bits in microseconds, 30 ms have 15; two failed, and moved nothing.
    micros: { counts: [...Array(14).fill(0), 1, 2], maximum: 30_000 },
    sizes: spread(3, 0, 0, 1),
  });
  expect(seen).toEqual([
    ['write', 10, 3, true],
    ['write', 30, 0, false],
    ['write', 30, 0, false],
  ]);
});

test('the counts of several are added up, and their peaks compared', async () => {
  const countsOf = async (requests: number) => {
    const { store, statistics } = countedStore(memoryStore(), manualWorld().clock);
    await Promise.all(
      Array.from({ length: requests }, (_, i) => store.put(String(i), bytes('abc'))),
    );
    return statistics();
  };
  const { write, read } = sumOfRequests([await countsOf(2), await countsOf(3)]);
  expect(write).toEqual({
    ...none,
    requests: 5,
    bytes: 15,
    activeMax: 3,
    micros: spread(0, 5),
    sizes: spread(3, 0, 0, 5),
  });
  expect(read).toEqual(none);
});

test('of what has ended nothing is under way', async () => {
  const { store, statistics } = countedStore(
    { ...memoryStore(), get: () => new Promise(() => {}) },
    manualWorld().clock,
  );
  void store.get('a');
  expect(statistics().read.active).toBe(1);
  expect(endedRequests(statistics()).read).toEqual({ ...none, requests: 1, activeMax: 1 });
});
