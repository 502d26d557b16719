/** The hash of the literals of a program: of unlike ones it differs, whatever their kind, wherever they stand. */

import { expect, test } from 'bun:test';
import { ByteString, type Datum } from '#value';
import { hashOfLiterals } from '../../../src/statistics/sketch/value-hash.ts';

const bytes = (...of: number[]) => new ByteString(Uint8Array.from(of));

const tuples: readonly (readonly (Datum | readonly Datum[])[])[] = [
  [],
  [0],
  [1],
  [2],
  [1, 2],
  [2, 1],
  [0.5],
  [1.5],
  [2 ** 31],
  [2 ** 40],
  [1n + 2n ** 60n],
  [2n ** 60n],
  [2n ** 61n],
  [null],
  [null, 1],
  ['a'],
  ['b'],
  ['ab'],
  ['ba'],
  [`${'x'.repeat(40)}a`],
  [`${'x'.repeat(40)}b`],
  [`a${'x'.repeat(40)}`],
  [bytes(1)],
  [bytes(2)],
  [bytes(1, 2)],
  [[1, 2], 3],
  [[1], 2, 3],
];

test('unlike literals have unlike hashes', () => {
  const hashes = tuples.map(hashOfLiterals);
  expect(new Set(hashes).size).toBe(tuples.length);
  // Of one type: true is told from false, and not from 1.
  expect(hashOfLiterals([true])).not.toBe(hashOfLiterals([false]));
});

test('equal literals have equal hashes, and zeros have one', () => {
  for (const tuple of tuples) expect(hashOfLiterals([...tuple])).toBe(hashOfLiterals(tuple));
  expect(hashOfLiterals([-0])).toBe(hashOfLiterals([0]));
});
