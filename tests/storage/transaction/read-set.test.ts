/** Merging what was read covers the same keys; beyond its limit the set only gets coarser. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  mergeItems,
  type ReadCheck,
  type ReadItem,
  ReadSet,
} from '../../../src/storage/transaction/read-set.ts';
import { anyKey, anyRange, isWithin } from '../model.ts';
import { inOneGo } from './support.ts';

const anyItem: fc.Arbitrary<ReadItem> = fc.oneof(
  anyKey.map((key) => ({ from: key, to: key })),
  anyRange.map(({ from, to }) => ({ from, to })),
);

function covers(items: readonly ReadItem[], key: Uint8Array): boolean {
  return items.some((item) => {
    if (item.to === item.from) return Buffer.compare(item.from, key) === 0;
    return isWithin(item, key);
  });
}

test('merged items cover exactly what the items covered', () => {
  const usable = anyItem.filter(
    ({ from, to }) => to === from || to === undefined || Buffer.compare(from, to) < 0,
  );
  fc.assert(
    fc.property(fc.array(usable), fc.array(anyKey), (items, keys) => {
      const merged = mergeItems(items);
      const probes = [...keys, ...items.flatMap(({ from, to }) => (to ? [from, to] : [from]))];
      for (const key of probes) expect(covers(merged, key)).toBe(covers(items, key));
    }),
    { numRuns: 1000 },
  );
});

test('a set of very many points stays bounded and still covers each of them', () => {
  const reads = new ReadSet();
  const key = (i: number): Uint8Array => Uint8Array.of(i >> 16, (i >> 8) & 0xff, i & 0xff, 7);
  for (let i = 0; i < 200_000; i++) reads.addPoint(key((i * 7919) % 200_000));
  expect(reads.count).toBeLessThanOrEqual(32_768);
  const missed: number[] = [];
  for (let i = 0; i < 200_000; i += 997) {
    const check: ReadCheck = {
      point: (point) => (Buffer.compare(point, key(i)) === 0 ? point : undefined),
      range: (range) => (isWithin(range, key(i)) ? range.from : undefined),
    };
    const changed = inOneGo((stretch) => reads.changedKey(check, stretch));
    if (changed === undefined) missed.push(i);
  }
  expect(missed).toEqual([]);
});

test('points of an interval that was read cost nothing, and those around it are kept', () => {
  const reads = new ReadSet();
  const key = (i: number) => Uint8Array.of(1, i >> 8, i & 0xff);
  const cursor = {
    extent: 'all',
    direction: 'forward',
    range: { from: key(5000), to: key(20_000) },
  } as unknown as Parameters<ReadSet['closed']>[0];
  reads.opened(cursor);
  reads.closed(cursor);
  for (let i = 5000; i < 20_000; i++) reads.addPoint(key(i));
  expect(reads.count).toBeLessThan(1100);
  for (let i = 4000; i < 21_000; i += 2) reads.addPoint(key(i));
  for (let i = 3990; i < 21_010; i++) {
    const check: ReadCheck = {
      point: (point) => (Buffer.compare(point, key(i)) === 0 ? point : undefined),
      range: (range) => (isWithin(range, key(i)) ? range.from : undefined),
    };
    const isRead = i >= 4000 && i < 21_000 && (i % 2 === 0 || (i >= 5000 && i < 20_000));
    const changed = inOneGo((stretch) => reads.changedKey(check, stretch));
    if ((changed !== undefined) !== isRead) throw new Error(`key ${i}`);
  }
});

test('a scan of an empty range leaves the points around it in order', () => {
  const reads = new ReadSet();
  const key = (i: number) => Uint8Array.of(1, i >> 8, i & 0xff);
  const cursor = {
    extent: 'all',
    direction: 'forward',
    range: { from: key(30_000), to: key(10) },
  } as unknown as Parameters<ReadSet['closed']>[0];
  reads.opened(cursor);
  reads.closed(cursor);
  // The first merge is of the range and these, one of them twice.
  const lower = [0, ...Array.from({ length: 1022 }, (_, i) => i)];
  const upper = Array.from({ length: 17_000 }, (_, i) => 2000 + i);
  for (const i of [...lower, ...upper]) reads.addPoint(key(i));
  for (const i of [...lower.slice(-9), ...upper.slice(0, 9), ...upper.slice(-1100)]) {
    const check: ReadCheck = {
      point: (point) => (Buffer.compare(point, key(i)) === 0 ? point : undefined),
      range: (range) => (isWithin(range, key(i)) ? range.from : undefined),
    };
    if (inOneGo((stretch) => reads.changedKey(check, stretch)) === undefined) {
      throw new Error(`key ${i}`);
    }
  }
});

test('the same points again cost nothing', () => {
  const reads = new ReadSet();
  for (let i = 0; i < 100_000; i++) reads.addPoint(Uint8Array.of(i % 50));
  expect(reads.count).toBeLessThanOrEqual(1024);
});

test('what it takes in memory is told, also after points have become intervals', () => {
  const reads = new ReadSet();
  const key = (i: number) => Uint8Array.of(1, i >> 16, (i >> 8) & 0xff, i & 0xff, ...long);
  const long = new Uint8Array(200);
  reads.addPoint(key(0));
  const one = reads.bytes;
  expect(one).toBeGreaterThan(200);
  for (let i = 1; i < 10_000; i++) reads.addPoint(key(2 * i));
  expect(reads.bytes).toBe(10_000 * one);
  for (let i = 10_000; i < 100_000; i++) reads.addPoint(key(2 * i));
  expect(reads.bytes).toBeGreaterThan(reads.count * one);
  expect(reads.bytes).toBeLessThan(32_768 * 2 * one);
});
