import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ByteString, comparatorOf, compareText, scalarTypes, valueComparatorOf } from '#value';
import { plainOf, scalarOf, text } from './arbitrary.ts';

test('text is ordered by its UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('supplementary characters come after U+E000 to U+FFFF', () => {
  const sorted = ['', 'a', 'ab', 'b', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}'];
  expect([...sorted].reverse().sort(compareText)).toEqual(sorted);
});

test('the order is total: antisymmetric, transitive, reflexive', () => {
  for (const type of scalarTypes) {
    const compare = comparatorOf(type);
    const value = scalarOf(type);
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0);
        expect(compare(a, a)).toBe(0);
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  }
});

test('the value comparator agrees with the one that knows NULL', () => {
  for (const type of scalarTypes) {
    fc.assert(
      fc.property(plainOf[type], plainOf[type], (a, b) => {
        expect(valueComparatorOf(type)(a, b)).toBe(comparatorOf(type)(a, b));
      }),
    );
  }
});

test('NULL comes first', () => {
  expect(comparatorOf('int64')(null, -(2n ** 63n))).toBe(-1);
  expect(comparatorOf('text')('', null)).toBe(1);
  expect(comparatorOf('bool')(null, null)).toBe(0);
});

test('signed zeros are equal, false is below true, numbers and bigints mix', () => {
  expect(comparatorOf('float64')(-0, 0)).toBe(0);
  expect(comparatorOf('bool')(false, true)).toBeLessThan(0);
  expect(comparatorOf('int64')(Number.MAX_SAFE_INTEGER, 2n ** 53n)).toBe(-1);
});

test('bytes are unsigned, a prefix comes first, the format does not matter', () => {
  const bytes = (...items: number[]) => new ByteString(Uint8Array.from(items));
  expect(comparatorOf('bytes')(bytes(0x7f), bytes(0x80))).toBeLessThan(0);
  expect(comparatorOf('bytes')(bytes(1), bytes(1, 0))).toBeLessThan(0);
  expect(comparatorOf('bytes')(bytes(1), new ByteString(Uint8Array.of(1), 'uuid'))).toBe(0);
});
