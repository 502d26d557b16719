import { expect, test } from 'bun:test';
import { isWellFormed, isWellFormedDeep } from '#value';

test('a lone surrogate is found at any depth', () => {
  expect(isWellFormed('a😀')).toBe(true);
  expect(isWellFormed('a\ud83d')).toBe(false);
  expect(isWellFormedDeep({ a: [1, null, { b: '\udc00' }] })).toBe(false);
  expect(isWellFormedDeep({ '\ud800': 1 })).toBe(false);
  expect(isWellFormedDeep({ a: [1, null, true, { b: 'x' }] })).toBe(true);
});
