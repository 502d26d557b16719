/** The memo of an apply: outer values that a result could tell apart never share an entry, and memory is bounded. */

import { expect, test } from 'bun:test';
import { ByteString, type Datum, type ScalarType } from '#value';
import { Memo } from '../../src/executor/operators/apply/memo.ts';
import { scalar } from './support/plans.ts';

/** Whether a value remembered for `first` is found for `second`. */
function shares(types: ScalarType[], first: Datum[], second: Datum[]): boolean {
  const bindings = types.map((_, i) => ({ register: i, columnIndex: i }));
  const memo = Memo.of<string>(bindings, types.map(scalar)) as Memo<string>;
  memo.remember(memo.keyOf(first), 'known', 0);
  return memo.recall(memo.keyOf(second)) !== undefined;
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

const numbered = () =>
  Memo.of<string>([{ register: 0, columnIndex: 0 }], [scalar('int64')], 4000) as Memo<string>;

test('a full memo says what it has forgotten, and begins anew when its values were found again', () => {
  const memo = numbered();
  let given = 0;
  let forgotten = 0;
  for (let i = 1; forgotten === 0; i++) {
    given++;
    forgotten = memo.remember(i, `value ${i}`, 100);
    expect(memo.recall(i)).toBe(`value ${i}`);
  }
  expect(given).toBeGreaterThan(10);
  expect(forgotten).toBeGreaterThan(3000);
  expect(memo.bytes).toBeLessThan(300);
  expect(memo.recall(1)).toBeUndefined();
});

test('a full memo in which nothing was found takes no more until it is forgotten', () => {
  const memo = numbered();
  for (let i = 1; i <= 100; i++) memo.remember(i, `value ${i}`, 100);
  expect(memo.bytes).toBe(0);
  expect(memo.recall(100)).toBeUndefined();
  expect(memo.remember(7, 'seven', 100)).toBe(100);
  memo.forget();
  memo.remember(7, 'seven', 100);
  expect(memo.recall(7)).toBe('seven');
});
