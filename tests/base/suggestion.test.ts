/** What a misspelt word was probably meant to be, and when nothing is near enough. */

import { expect, test } from 'bun:test';
import { didYouMean, nearestOf, orDidYouMean } from '#base';

const words = ['create', 'delete', 'update', 'id', 'rows', 'aggregate'];

test.each([
  ['creat', 'create'],
  ['craete', 'create'],
  ['CREATE', 'create'],
  ['deleted', 'delete'],
  ['updaet', 'update'],
  ['rwos', 'rows'],
  ['ix', 'id'],
  ['di', 'id'],
  ['agregatte', 'aggregate'],
])('%s is meant to be %s', (given, meant) => {
  expect(nearestOf(given, words)).toBe(meant);
});

test.each(['xyz', 'xx', 'insert', 'cr', 'aggr', ''])('"%s" is near to nothing', (given) => {
  expect(nearestOf(given, ['create', 'delete', 'aggregate', 'id'].slice(0, 3))).toBeUndefined();
});

test('of several the nearest is taken, of equally near ones the first', () => {
  expect(nearestOf('tabel', ['cable', 'table'])).toBe('table');
  expect(nearestOf('cat', ['bat', 'hat'])).toBe('bat');
});

test('a third of the letters may be wrong, and not one more', () => {
  expect(nearestOf('abcdef', ['abcdxx'])).toBe('abcdxx');
  expect(nearestOf('abcdef', ['abcxxx'])).toBeUndefined();
});

test('long words and the end of long lists are not looked at', () => {
  const long = 'x'.repeat(40);
  expect(nearestOf(long, [`${long.slice(1)}y`])).toBeDefined();
  expect(nearestOf(`${long}x`, [long])).toBeUndefined();
  const many = Array.from({ length: 499 }, (_, i) => `unlike${i}`);
  expect(nearestOf('create', [...many, 'create'])).toBe('create');
  expect(nearestOf('create', [...many, 'other', 'create'])).toBeUndefined();
});

test('in words', () => {
  expect(didYouMean('creat', words)).toBe('did you mean "create"?');
  expect(didYouMean('xyz', words)).toBeUndefined();
  expect(orDidYouMean('creat', words)).toBe('; did you mean "create"?');
  expect(orDidYouMean('xyz', words)).toBe('');
});
