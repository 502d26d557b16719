/** Searching the keys of a block against searching a list. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { afterKey } from '#base';
import type { StoredBlock } from '../../../src/storage/contract/stored-block.ts';
import { outside } from '../../../src/storage/table/block.ts';
import { encodePartition, IndexPartition } from '../../../src/storage/table/index-partition.ts';
import { openTable, writeTable } from '../files.ts';

const few = fc.constantFrom(0, 1, 2, 127, 128, 255);
const bytesOf = (minLength: number, maxLength: number) =>
  fc.array(few, { minLength, maxLength }).map((list) => Uint8Array.from(list));

/** Keys of one length, or of any. */
const anyKeys = fc.oneof(
  fc
    .integer({ min: 1, max: 5 })
    .chain((length) => fc.array(bytesOf(length, length), { minLength: 1, maxLength: 60 })),
  fc.array(bytesOf(1, 5), { minLength: 1, maxLength: 60 }),
);

/** Whether the probe has what all keys begin with. */
function startsAlike(keys: readonly Uint8Array[], probe: Uint8Array): boolean {
  const [first, last] = [keys[0] as Uint8Array, keys.at(-1) as Uint8Array];
  let shared = 0;
  while (shared < first.length && first[shared] === last[shared]) shared++;
  return probe.subarray(0, shared).toHex() === first.subarray(0, shared).toHex();
}

test('the first slot at or above a key, whatever the lengths of keys', () => {
  let strided = 0;
  fc.assert(
    fc.property(
      anyKeys,
      fc.array(bytesOf(0, 7), { minLength: 1, maxLength: 20 }),
      (keys, probes) => {
        const sorted = [...new Map(keys.map((key) => [key.toHex(), key])).values()].sort(
          Buffer.compare,
        );
        const value = new Uint8Array(1);
        const table = openTable(writeTable(sorted.map((key) => ({ key, sequence: 1, value }))));
        const cursor = table.scan({ from: new Uint8Array(0), to: undefined }, 'forward', 9);
        expect(cursor.next()).toBe(true);
        const block = cursor.takeRun?.(1)?.block as StoredBlock & {
          lowerBound(key: Uint8Array): number;
          find(key: Uint8Array): number;
        };
        if (block.stride > 0) strided++;
        for (const probe of [...probes, ...sorted]) {
          const expected = sorted.filter((key) => Buffer.compare(key, probe) < 0).length;
          expect(block.lowerBound(probe)).toBe(expected);
          const isThere = sorted[expected]?.toHex() === probe.toHex();
          if (isThere) expect(block.find(probe)).toBe(expected);
          else expect(block.find(probe)).toBeLessThan(0);
          // Only a key before the first or behind the last may be in another block.
          const isWithin = expected > 0 && expected < sorted.length;
          if (!isThere && isWithin && startsAlike(sorted, probe)) {
            expect(block.find(probe)).not.toBe(outside);
          }
          if (expected === 0 && !isThere) expect(block.find(probe)).toBe(outside);
          if (expected === sorted.length) expect(block.find(probe)).toBe(outside);
        }
      },
    ),
    { seed: 5, numRuns: 500 },
  );
  expect(strided).toBeGreaterThan(200);
});

test('a key has the common prefix only if it has each byte of it, however long it is', () => {
  for (let length = 0; length <= 15; length++) {
    const prefix = Uint8Array.from({ length }, (_, i) => 200 + i);
    const keys = [1, 2, 3].map((last) => Uint8Array.from([...prefix, 0, last]));
    const value = new Uint8Array(1);
    const table = openTable(writeTable(keys.map((key) => ({ key, sequence: 1, value }))));
    const cursor = table.scan({ from: new Uint8Array(0), to: undefined }, 'forward', 9);
    expect(cursor.next()).toBe(true);
    const block = cursor.takeRun?.(1)?.block as StoredBlock & { find(key: Uint8Array): number };
    expect(keys.map((key) => block.find(key))).toEqual([0, 1, 2]);
    for (let at = 0; at < length; at++) {
      const other = Uint8Array.from(keys[1] as Uint8Array);
      other[at] = (other[at] as number) ^ 1;
      expect(block.find(other)).toBe(outside);
      expect(block.find((keys[1] as Uint8Array).subarray(0, at))).toBe(outside);
    }
  }
});

test('the block of a key, whatever the separators have in common', () => {
  fc.assert(
    fc.property(
      bytesOf(0, 6),
      fc.uniqueArray(bytesOf(1, 7), { minLength: 1, maxLength: 64, selector: (b) => b.toHex() }),
      fc.array(bytesOf(0, 13), { maxLength: 20 }),
      (start, ends, others) => {
        const startingAlike = (bytes: Uint8Array) => Buffer.concat([start, bytes]);
        const separators = ends.map(startingAlike).sort(Buffer.compare);
        const partition = partitionOf(separators);
        const near = separators.flatMap((key) => [key, key.subarray(0, -1), afterKey(key)]);
        for (const key of [...near, ...others, ...others.map(startingAlike)]) {
          const below = separators.filter((separator) => Buffer.compare(separator, key) < 0);
          expect([key.toHex(), partition.find(key)]).toEqual([key.toHex(), below.length]);
        }
      },
    ),
  );
});

function partitionOf(separators: readonly Uint8Array[]): IndexPartition {
  const blocks = separators.map((separator, i) => ({
    at: i * 10,
    bytes: 10,
    checksum: 0,
    rows: 1,
    separator,
    zones: [],
    isPlain: false,
  }));
  return new IndexPartition(encodePartition(blocks, 5, undefined).slice());
}
