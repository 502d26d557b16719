import { expect, test } from 'bun:test';
import { isWellFormedDeep } from '../../src/value/unicode.ts';

test('a lone surrogate is found at any depth', () => {
  expect(isWellFormedDeep('a😀')).toBe(true);
  expect(isWellFormedDeep('a\ud83d')).toBe(false);
  expect(isWellFormedDeep({ a: [1, null, { b: '\udc00' }] })).toBe(false);
  expect(isWellFormedDeep({ '\ud800': 1 })).toBe(false);
  expect(isWellFormedDeep({ a: [1, null, true, { b: 'x' }] })).toBe(true);
});
