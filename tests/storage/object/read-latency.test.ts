/** Classes of latency are coarse, and slow to change. */

import { expect, test } from 'bun:test';
import { countedStore } from '../../../src/storage/object/counted-store.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { assumedReadMicros, ReadLatency } from '../../../src/storage/object/read-latency.ts';
import type { ObjectReader } from '../../../src/storage/object/store.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { bytes } from './contract.ts';

function after(...reads: readonly (readonly [count: number, ms: number])[]): number {
  const latency = new ReadLatency();
  for (const [count, ms] of reads) for (let i = 0; i < count; i++) latency.add(ms);
  return latency.micros;
}

test('before enough reads have been measured, a bucket counts as one that answers in 33 ms', () => {
  expect(assumedReadMicros).toBe(32_768);
  expect(after()).toBe(assumedReadMicros);
  expect(after([15, 0.1])).toBe(assumedReadMicros);
  expect(after([16, 0.1])).toBe(128);
});

test.each([
  [0, 1],
  [0.001, 1],
  [1, 1_024],
  [8.3, 32_768],
  [30, 32_768],
  [65, 32_768],
  [66, 131_072],
  [400, 524_288],
])('%p ms are of class %p µs', (ms, micros) => {
  expect(after([64, ms])).toBe(micros);
});

test('a class stays for times of the next one on either side, in whatever order they come', () => {
  expect(after([64, 1])).toBe(1_024);
  expect(after([64, 1], [1_000, 1.9])).toBe(1_024);
  expect(after([64, 1], [1_000, 0.3])).toBe(1_024);
  expect(after([64, 1], [1_000, 2.2])).toBe(4_096);
  const latency = new ReadLatency();
  const seen = new Set<number>();
  for (let i = 0; i < 1_000; i++) {
    latency.add([15, 60, 25, 20, 45, 30][i % 6] as number);
    seen.add(latency.micros);
  }
  expect([...seen]).toEqual([32_768]);
});

test('one read that hangs, and a burst that is over soon, change nothing', () => {
  expect(after([64, 30], [1, 10_000])).toBe(32_768);
  expect(after([64, 30], [8, 100])).toBe(32_768);
  expect(after([64, 30], [200, 300])).toBe(524_288);
});

test('reads of parts of objects are measured, and only those that end well', async () => {
  const world = manualWorld();
  const store = memoryStore();
  const slow = countedStore(
    {
      ...store,
      openRead: (name) => ({
        ...(store.openRead(name) as ObjectReader),
        readInto: async (offset) => {
          world.advance(offset);
          if (offset === 7) throw new Error('gone');
          return 1;
        },
      }),
      list: async () => {
        world.advance(5_000);
        return [];
      },
    },
    world.clock,
  );
  await slow.store.put('a', bytes('abc'));
  const reader = slow.store.openRead('a', 3) as ObjectReader;
  for (let i = 0; i < 20; i++) {
    await slow.store.list('');
    await Promise.resolve(reader.readInto(7, new Uint8Array(1))).catch(() => {});
  }
  expect(slow.readMicros()).toBe(assumedReadMicros);
  for (let i = 0; i < 20; i++) await reader.readInto(120, new Uint8Array(1));
  expect(slow.readMicros()).toBe(131_072);
});
