/** The division of a cache among classes: what a class may use, and whose entries go. */

import { expect, test } from 'bun:test';
import { ClassShares } from '#base';
import { seededRandom } from '../support/seeded-random.ts';

function cacheOf(limits: { bytes: number; entries: number }) {
  const shares = new ClassShares(limits);
  const entries: { of: string; bytes: number }[] = [];
  /** Adds an entry, and returns the classes that have lost entries; `undefined` if it was not added. */
  const add = (of: string, bytes: number) => {
    const crowded = shares.room(of, bytes);
    if (crowded === undefined) return undefined;
    const losers: string[] = [];
    for (let full = crowded(); full !== undefined; full = crowded()) {
      const at = entries.findIndex((entry) => entry.of === full);
      const [victim] = entries.splice(at, 1);
      expect(victim?.of).toBe(full);
      shares.removed(full, victim?.bytes as number);
      losers.push(full);
    }
    shares.added(of, bytes);
    entries.push({ of, bytes });
    return losers;
  };
  const bytesOf = (of?: string) =>
    entries.reduce((total, it) => total + (of === undefined || it.of === of ? it.bytes : 0), 0);
  const countOf = (of: string) => entries.filter((entry) => entry.of === of).length;
  return { entries, add, bytesOf, countOf };
}

test('a class that is alone may use everything, in bytes and in entries', () => {
  const { add } = cacheOf({ bytes: 100, entries: 4 });
  for (let i = 0; i < 4; i++) expect(add('a', 25)).toEqual([]);
  expect(add('a', 1)).toEqual(['a']);
  expect(add('a', 101)).toBeUndefined();
  expect(add('a', 100)).toEqual(['a', 'a', 'a', 'a']);
});

test('of two classes, each has a quarter of the bytes and of the entries', () => {
  const bytes = cacheOf({ bytes: 100, entries: Number.POSITIVE_INFINITY });
  bytes.add('a', 10);
  expect([bytes.add('b', 26), bytes.add('b', 25), bytes.add('b', 1)]).toEqual([
    undefined,
    [],
    ['b'],
  ]);
  const entries = cacheOf({ bytes: Number.POSITIVE_INFINITY, entries: 8 });
  entries.add('a', 1);
  expect([1, 2, 3].map(() => entries.add('b', 1))).toEqual([[], [], ['b']]);
});

test('a class within its share takes space of the one that has most, which then does not grow', () => {
  const { add, countOf } = cacheOf({ bytes: 100, entries: Number.POSITIVE_INFINITY });
  for (let i = 0; i < 10; i++) add('a', 10);
  expect([add('b', 10), add('b', 10), add('b', 10)]).toEqual([['a'], ['a'], ['b']]);
  expect(add('a', 10)).toEqual(['a']);
  expect([countOf('a'), countOf('b')]).toEqual([8, 2]);
});

test('of many classes, each gets an equal part', () => {
  const { add, countOf } = cacheOf({ bytes: 100, entries: Number.POSITIVE_INFINITY });
  const classes = Array.from({ length: 10 }, (_, i) => `c${i}`);
  for (const of of classes) for (let i = 0; i < 20; i++) add(of, 1);
  for (const of of classes) expect(countOf(of)).toBeGreaterThanOrEqual(10);
  expect(add('late', 1)).toHaveLength(1);
});

test('in random histories, the cache keeps its limits and a class within its share keeps its entries', () => {
  const chance = seededRandom(7);
  for (let history = 0; history < 50; history++) {
    const limits = { bytes: 1000, entries: 40 };
    const { entries, add, bytesOf, countOf } = cacheOf(limits);
    const classes = 1 + Math.floor(chance() * 8);
    for (let step = 0; step < 300; step++) {
      const of = `c${Math.floor(chance() * classes)}`;
      const held = new Map(entries.map((entry) => [entry.of, countOf(entry.of)]));
      const bytes = new Map(entries.map((entry) => [entry.of, bytesOf(entry.of)]));
      const losers = add(of, 1 + Math.floor(chance() * 120)) ?? [];
      const parts = new Set([...held.keys(), of]).size;
      expect(bytesOf()).toBeLessThanOrEqual(limits.bytes);
      expect(entries.length).toBeLessThanOrEqual(limits.entries);
      for (const loser of losers) {
        if (loser === of) continue;
        const isAbove =
          (bytes.get(loser) ?? 0) > limits.bytes / parts ||
          (held.get(loser) ?? 0) > limits.entries / parts;
        expect([history, step, loser, isAbove]).toEqual([history, step, loser, true]);
      }
    }
  }
});
