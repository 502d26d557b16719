import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { EntryCursor } from '../../../src/storage/contract/store.ts';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import {
  anyDirection,
  anyKey,
  anyRange,
  anyWrites,
  current,
  Model,
  readAll,
  type Version,
} from '../model.ts';

function apply(memtable: Memtable, version: Version): void {
  if (version.value === undefined) memtable.delete(version.key, version.sequence);
  else memtable.put(version.key, version.value, version.sequence);
}

function get(memtable: Memtable, key: Uint8Array, snapshot: number): string | undefined {
  const lookup = new Lookup().ask(key, snapshot);
  if (!memtable.find(lookup) || lookup.isTombstone) return undefined;
  return Buffer.from(lookup.value.subarray(lookup.valueFrom, lookup.valueTo)).toString('hex');
}

const numberKey = (n: number): Uint8Array => {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setUint32(4, n);
  return key;
};
const numberOf = ({ key, keyFrom, keyTo }: EntryCursor): number =>
  Buffer.from(key.subarray(keyFrom, keyTo)).readUInt32BE(4);
const everything = { from: new Uint8Array(0), to: undefined };

describe('against the model', () => {
  test('gets and scans at any snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyWrites(60),
        anyKey,
        anyRange,
        anyDirection,
        fc.nat(61),
        async (writes, key, range, direction, snapshot) => {
          const model = new Model();
          const memtable = new Memtable();
          for (const write of writes) {
            model.write(write);
            apply(memtable, write);
          }
          expect(get(memtable, key, snapshot)).toBe(model.get(key, snapshot));
          expect(await readAll(memtable.scan(range, direction, snapshot))).toEqual(
            model.scan(range, direction, snapshot),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a cursor keeps its snapshot while inserts and other scans go on', () => {
    fc.assert(
      fc.property(
        anyWrites(60),
        anyRange,
        anyDirection,
        fc.nat(60),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        (writes, range, direction, early, pattern) => {
          const model = new Model();
          const memtable = new Memtable();
          const snapshot = Math.min(early, writes.length);
          for (const write of writes.slice(0, snapshot)) {
            model.write(write);
            apply(memtable, write);
          }
          const cursor = memtable.scan(range, direction, snapshot);
          const later = writes.slice(snapshot);
          const shown = [];
          for (let turn = 0; ; turn++) {
            if (!cursor.next()) break;
            if (!cursor.isTombstone) shown.push(current(cursor));
            const write = later.shift();
            if (write !== undefined) apply(memtable, write);
            if (pattern[turn % pattern.length]) memtable.scan(range, 'forward', 0);
          }
          expect(shown).toEqual(model.scan(range, direction, snapshot));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('many keys', () => {
  const count = 20_000;
  const scattered = (i: number): number => (i * 7919) % count;
  const fill = (order: (i: number) => number, scanEach: number): Memtable => {
    const memtable = new Memtable();
    for (let i = 0; i < count; i++) {
      memtable.put(numberKey(order(i)), numberKey(i), i + 1);
      if (i % scanEach === 0) memtable.scan(everything, 'forward', i).close();
    }
    return memtable;
  };
  const keysOf = (memtable: Memtable, direction: 'forward' | 'backward'): string => {
    const cursor = memtable.scan(everything, direction, count);
    const keys: number[] = [];
    while (cursor.next()) keys.push(numberOf(cursor));
    return keys.join();
  };
  const ascending = Array.from({ length: count }, (_, i) => i);

  test.each([
    ['in order', (i: number) => i, 1e9],
    ['in reverse', (i: number) => count - 1 - i, 37],
    ['scattered, scanned often', scattered, 7],
    ['scattered, scanned once', scattered, 1e9],
  ] as const)('%s', (_, order, scanEach) => {
    const memtable = fill(order, scanEach);
    expect(keysOf(memtable, 'forward')).toBe(ascending.join());
    expect(keysOf(memtable, 'backward')).toBe(ascending.toReversed().join());
    expect(memtable.keys).toBe(count);
    for (let i = 0; i < count; i += 97) {
      expect(get(memtable, numberKey(order(i)), count)).toBe(
        Buffer.from(numberKey(i)).toString('hex'),
      );
    }
    expect(get(memtable, numberKey(count), count)).toBeUndefined();
  });
});

test('values larger than a piece of the arena keep their place', () => {
  const memtable = new Memtable();
  const sizes = [10, 300_000, 5, 3_000_000, 1 << 20, 17];
  sizes.forEach((size, i) => {
    memtable.put(numberKey(i), new Uint8Array(size).fill(i + 1), i + 1);
  });
  sizes.forEach((size, i) => {
    const lookup = new Lookup().ask(numberKey(i), 100);
    expect(memtable.find(lookup)).toBe(true);
    const value = lookup.value.subarray(lookup.valueFrom, lookup.valueTo);
    expect(value.length).toBe(size);
    expect(value.every((byte) => byte === i + 1)).toBe(true);
  });
  expect(memtable.bytes).toBeGreaterThan(4_000_000);
});

describe('a first entry is there, however large', () => {
  const kib = 1 << 10;
  test.each([
    ['a value', 10, 300 * kib],
    ['a value of several pieces', 10, 3000 * kib],
    ['a key', 300 * kib, 10],
    ['a key of several pieces', 3000 * kib, 10],
    ['both', 3000 * kib, 3000 * kib],
  ])('%s', (_, keyBytes, valueBytes) => {
    const memtable = new Memtable();
    const [key, value] = [new Uint8Array(keyBytes).fill(1), new Uint8Array(valueBytes).fill(2)];
    const other = new Uint8Array(keyBytes).fill(3);
    memtable.put(key, value, 1);
    memtable.put(key, numberKey(7), 2);
    memtable.delete(other, 3);
    expect(get(memtable, key, 1)).toBe(Buffer.from(value).toString('hex'));
    expect(get(memtable, key, 3)).toBe(Buffer.from(numberKey(7)).toString('hex'));
    expect(get(memtable, other, 3)).toBeUndefined();
    expect(memtable.find(new Lookup().ask(other, 3))).toBe(true);
  });
});

test('all versions, newest first, from a frozen memtable only', () => {
  const memtable = new Memtable();
  memtable.put(numberKey(1), numberKey(10), 1);
  memtable.delete(numberKey(1), 4);
  memtable.put(numberKey(0), numberKey(11), 3);
  expect(() => memtable.versions(everything)).toThrow('frozen');
  memtable.freeze();
  expect(() => memtable.delete(numberKey(1), 5)).toThrow('frozen');
  const cursor = memtable.versions(everything);
  const seen: unknown[] = [];
  while (cursor.next())
    seen.push([cursor.key[cursor.keyFrom + 7], cursor.sequence, cursor.isTombstone]);
  expect(seen).toEqual([
    [0, 3, false],
    [1, 4, true],
    [1, 1, false],
  ]);
  expect([memtable.sequenceMin, memtable.sequenceMax, memtable.entries]).toEqual([1, 4, 3]);
});

test('a sequence above 2^32 survives', () => {
  const memtable = new Memtable();
  const sequence = 2 ** 45 + 12345;
  memtable.put(numberKey(1), numberKey(2), sequence);
  expect(get(memtable, numberKey(1), sequence - 1)).toBeUndefined();
  expect(get(memtable, numberKey(1), sequence)).toBe('0000000000000002');
});

test('a sequence beyond 32 bits is kept whole, also beside the mark of a deletion', async () => {
  const memtable = new Memtable();
  const [first, second] = [5 * 2 ** 32 + 7, 6 * 2 ** 32 + 3];
  memtable.put(numberKey(1), new Uint8Array([1]), first);
  memtable.delete(numberKey(1), second);
  const lookup = new Lookup().ask(numberKey(1), second - 1);
  expect(memtable.find(lookup)).toBe(true);
  expect([lookup.sequence, lookup.isTombstone]).toEqual([first, false]);
  lookup.ask(numberKey(1), second);
  expect(memtable.find(lookup)).toBe(true);
  expect([lookup.sequence, lookup.isTombstone]).toEqual([second, true]);
  expect(memtable.find(lookup.ask(numberKey(1), first - 1))).toBe(false);
});
