/** Whose rows a key is about, and what keys of one owner have in common. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { areaOfKey, keySpaces, rangesOfPhysicalId, reclamationKey, sameRowsKey } from '#catalog';
import { noArea } from '#storage';
import { keyPrefix } from '../../../src/catalog/stored/key-space.ts';
import { revisionKey, transitionKey } from '../../../src/catalog/stored/keys.ts';

const anyId = fc.oneof(
  fc.constantFrom(0, 1, 0xff, 0x100, 0xffff, 0x1_0000, 0xff_ffff, 0x100_0000, 0xffff_ffff),
  fc.integer({ min: 0, max: 0xffff_ffff }),
);

test('a row key names its table, wherever it lies in memory', () => {
  fc.assert(
    fc.property(anyId, fc.uint8Array({ maxLength: 4 }), fc.nat(3), (id, tuple, from) => {
      const key = [...keyPrefix(keySpaces.row, id), ...tuple];
      const memory = Uint8Array.of(...new Array<number>(from).fill(9), ...key, 9, 9);
      expect(areaOfKey(memory, from, from + key.length)).toBe(id);
    }),
  );
});

test('what is no row’s key names no table', () => {
  for (const space of [keySpaces.catalog, keySpaces.index, keySpaces.violation, keySpaces.corpus]) {
    expect(areaOfKey(keyPrefix(space, 7), 0, 5)).toBeUndefined();
  }
  expect(areaOfKey(keyPrefix(keySpaces.row, 7), 0, 4)).toBeUndefined();
});

test('a physical id has ranges in three spaces, which hold no other id', () => {
  const ranges = rangesOfPhysicalId(7);
  expect(ranges.map(({ from }) => from[0])).toEqual([
    keySpaces.row,
    keySpaces.index,
    keySpaces.violation,
  ]);
  for (const { from, to } of ranges) {
    expect([...from.subarray(1)]).toEqual([0, 0, 0, 7]);
    expect([...(to as Uint8Array)]).toEqual([from[0] as number, 0, 0, 0, 8]);
  }
});

test('numbered records are ordered by their numbers, beyond 32 bits too', () => {
  const numbers = [0, 1, 255, 256, 0xffff_ffff, 0x1_0000_0000, 0x1_0000_0001, 2 ** 53 - 1];
  for (const keyOf of [revisionKey, transitionKey]) {
    const usable = keyOf === transitionKey ? numbers.slice(0, 5) : numbers;
    const keys = usable.map(keyOf);
    expect(keys.toSorted(Buffer.compare)).toEqual(keys);
    expect(new Set(keys.map((key) => key.toHex())).size).toBe(usable.length);
  }
});

test('the key of commits that store the values that were there is of no area', () => {
  expect(areaOfKey(sameRowsKey, 0, sameRowsKey.length)).toBe(noArea);
  for (const id of [0, 7]) {
    const key = reclamationKey(id);
    expect(areaOfKey(key, 0, key.length)).toBeUndefined();
  }
});
