/** What a crossing remembers: outer values that a result could tell apart never share an entry. */

import { expect, test } from 'bun:test';
import { ByteString, type Datum, type ScalarType } from '#value';
import { Memo } from '../../src/executor/operators/crossing/memo.ts';
import { scalar } from './support/plans.ts';

/** Whether a value remembered for `first` is found for `second`. */
function shares(types: ScalarType[], first: Datum[], second: Datum[]): boolean {
  const memo = Memo.of(types.map(scalar)) as Memo;
  const bindings = types.map((_, i) => ({ register: i, slot: i }));
  memo.recall(bindings, first);
  memo.remember('known');
  return memo.recall(bindings, second) !== undefined;
}

test.each([
  [['int64'], [1], [1], true],
  [['int64'], [1], [2n ** 60n], false],
  [['text'], ['n'], [null], false],
  [['float64'], [0], [-0], false],
  [['float64', 'float64'], [-0, 5], [0, -5], false],
  [['float64', 'float64'], [-0, 5], [-0, 5], true],
  [['text', 'text'], ['a', 'bc'], ['ab', 'c'], false],
  [['bool', 'bool'], [true, null], [true, false], false],
] as [ScalarType[], Datum[], Datum[], boolean][])('%p: %p and %p share: %p', (types, a, b, is) => {
  expect(shares(types, a, b)).toBe(is);
  expect(shares(types, b, a)).toBe(is);
});

test('the format of bytes counts, though identity ignores it', () => {
  const bytes = new Uint8Array(16);
  const plain = [new ByteString(bytes)];
  const uuid = [new ByteString(bytes, 'uuid')];
  expect(shares(['bytes'], plain, uuid)).toBe(false);
  expect(shares(['bytes'], uuid, [new ByteString(bytes.slice(), 'uuid')])).toBe(true);
});
