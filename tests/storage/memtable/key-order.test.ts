/** Thousands of keys in any order, inserted in ascending runs as commits do, and scans while a part of them is not merged yet. */

import { describe, expect, test } from 'bun:test';
import type { EntryCursor } from '../../../src/storage/contract/store.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';

/** Returns a function of numbers below a bound, the same ones for the same seed. */
function random(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

const nothing = new Uint8Array(0);
const everything = { from: nothing, to: undefined };
const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex');
const hexOf = ({ key, keyFrom, keyTo }: EntryCursor): string => hex(key.subarray(keyFrom, keyTo));

function keysOf(cursor: EntryCursor): string[] {
  const keys: string[] = [];
  while (cursor.next()) keys.push(hexOf(cursor));
  return keys;
}

const number = (space: number, n: number): Uint8Array => {
  const key = new Uint8Array(12).fill(space);
  new DataView(key.buffer).setUint32(8, n);
  return key;
};

describe('the order of keys', () => {
  const below = random(7);
  const anyOf = (bytes: readonly number[], length: number): Uint8Array =>
    Uint8Array.from({ length }, () => bytes[below(bytes.length)] as number);
  test.each([
    ['of few bytes and any length, so that many begin alike', () => anyOf([0, 1, 255], below(14))],
    ['of zeros only, which differ in length', () => new Uint8Array(below(400))],
    ['that become dense around one', () => number(1, Math.floor(2 ** (below(3200) / 100)))],
    [
      'above the others and between them in turn',
      (i: number) => number(1, Math.floor(i / 700) % 2 === 0 ? below(3 * i + 1) : 3 * i),
    ],
    ['of several spaces', () => number(below(3), below(1e6))],
    [
      'of one space first, then of others around it',
      (i: number) => (i < 3000 ? number(5, below(1e5)) : anyOf([4, 5, 6], 2 + below(12))),
    ],
  ] as const)('%s', (_, keyOf) => {
    for (const runLength of [1, 40, 1500]) {
      const memtable = new Memtable();
      const known = new Set<string>();
      for (let at = 0, sequence = 1; at < 4_000; at += runLength, sequence++) {
        const run = Array.from({ length: runLength }, (_, i) => keyOf(at + i));
        run.sort(Buffer.compare);
        for (const key of run) {
          memtable.put(key, nothing, sequence);
          known.add(hex(key));
        }
        if (sequence % Math.ceil(700 / runLength) === 0) memtable.entriesIn(everything);
      }
      const sorted = [...known].sort();
      expect(keysOf(memtable.scan(everything, 'forward', 1e9))).toEqual(sorted);
      expect(keysOf(memtable.scan(everything, 'backward', 1e9))).toEqual(sorted.toReversed());
    }
  });

  test.each([1, 2, 3, 7, 16, 17])('of %d long runs, more than a tail can have', (runs) => {
    const memtable = new Memtable();
    const known = new Set<string>();
    for (let run = 0; run < runs; run++) {
      const numbers = Array.from({ length: Math.ceil(40_000 / runs) }, () => below(1e9));
      for (const n of numbers.sort((a, b) => a - b)) {
        const key = number(run % 2, n);
        memtable.put(key, nothing, run + 1);
        known.add(hex(key));
      }
    }
    const sorted = [...known].sort();
    expect(keysOf(memtable.scan(everything, 'forward', 1e9))).toEqual(sorted);
    expect(keysOf(memtable.scan(everything, 'backward', 1e9))).toEqual(sorted.toReversed());
  });

  test('is accounted with the bytes that decide comparisons', () => {
    const inOrder = new Memtable();
    const scattered = new Memtable();
    for (let i = 0; i < 20_000; i++) {
      inOrder.put(number(1, i), nothing, i + 1);
      scattered.put(number(1, (i * 7919) % 20_000), nothing, i + 1);
    }
    inOrder.freeze();
    scattered.freeze();
    expect(scattered.bytes - inOrder.bytes).toBeGreaterThan(20_000 * 4);
  });
});

describe('a scan while keys are not merged', () => {
  const spaces = [1, 3, 5];
  const below = random(11);
  /** Even numbers are merged, odd ones are in the tail in `runs` runs of at least 256. */
  const half = (runs: number): { memtable: Memtable; keys: Uint8Array[] } => {
    const memtable = new Memtable();
    const merged = spaces.flatMap((space) =>
      Array.from({ length: 400 }, (_, i) => number(space, i * 2)),
    );
    for (const key of merged) memtable.put(key, nothing, 1);
    memtable.entriesIn(everything);
    const tail: Uint8Array[] = [];
    for (let run = 0; run < runs; run++) {
      const start = below(600);
      const numbers = Array.from({ length: 300 }, (_, i) => (start + i) * 2 + 1);
      for (const key of numbers.map((n) => number(spaces[run % 3] as number, n))) {
        memtable.put(key, nothing, 2 + run);
        tail.push(key);
      }
    }
    const keys = new Map([...merged, ...tail].map((key) => [hex(key), key]));
    return { memtable, keys: [...keys.values()].sort(Buffer.compare) };
  };

  test.each([1, 2, 3, 9, 20])(
    '%d runs: it shows its range, also if they are merged in between',
    (runs) => {
      for (let turn = 0; turn < 40; turn++) {
        const { memtable, keys } = half(runs);
        const bounds = [0, 1].map(() => number(below(7), below(2000)));
        const [from, to] = bounds.sort(Buffer.compare) as [Uint8Array, Uint8Array];
        const range = turn % 5 === 0 ? { from, to: undefined } : { from, to };
        const direction = turn % 2 === 0 ? 'forward' : 'backward';
        const cursor = memtable.scan(range, direction, 100);
        memtable.entriesIn(everything);
        const within = keys.filter(
          (key) =>
            Buffer.compare(key, from) >= 0 &&
            (range.to === undefined || Buffer.compare(key, range.to) < 0),
        );
        const expected = within.map(hex);
        expect(keysOf(cursor)).toEqual(direction === 'forward' ? expected : expected.toReversed());
      }
    },
  );
});
