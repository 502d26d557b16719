/** Regular expressions. The values are those of PostgreSQL 15, except where an expression is not supported. */

import { expect, test } from 'bun:test';
import { called } from './support.ts';

const regex = (text: string, pattern: string, ...flags: string[]) =>
  called('regex', text, pattern, ...flags);

test('an expression matches anywhere, unless it is anchored', () => {
  expect(regex('foobar', 'o+b')).toBe(true);
  expect(regex('foobar', '^(foo|bar)$')).toBe(false);
  expect(regex('bar', '^(foo|bar)$')).toBe(true);
  expect(regex('a\nb', 'a.b')).toBe(true);
  expect(regex('a\nb', '^b')).toBe(false);
  expect(regex('', '^$')).toBe(true);
  expect(regex('aaaab', '^a{2,3}b')).toBe(false);
  expect(regex('aaaab', '^a{3,}b')).toBe(true);
});

test('brackets and escapes are classes', () => {
  expect(regex(']', '[]a]')).toBe(true);
  expect(regex('-', '[a-]')).toBe(true);
  expect(regex('é', '^[[:alpha:]]$')).toBe(true);
  expect(regex('\u{1f600}', '^[^a]$')).toBe(true);
  expect(regex('x y', '\\w\\s\\w')).toBe(true);
  expect(regex('7', '^\\D$')).toBe(false);
  expect(regex('a{,2}', 'a{,2}')).toBe(true);
});

test('the flag i ignores case', () => {
  expect(regex('ÉCOLE', '^é[a-z]+$', 'i')).toBe(true);
  expect(regex('ABC', '[^a-c]', 'i')).toBe(false);
  expect(() => regex('a', 'a', 'g')).toThrow('must be "i" or empty');
});

test.each([
  ['(a)\\1', 'escape'],
  ['(?=a)', 'look-around'],
  ['(?i)a', 'options'],
  ['\\ya', 'escape'],
  ['[[.a.]]', 'collating'],
  ['[[:punct:]]', 'class'],
  ['(a', 'not closed'],
  ['a)', 'not opened'],
  ['*a', 'nothing to repeat'],
  ['a**', 'repeated'],
  ['[c-a]', 'range'],
  ['[a-c-e]', 'range'],
  ['[a', 'end is missing'],
  ['a\\', 'end is missing'],
  ['a{256}', 'at most 255'],
  ['('.repeat(300), 'nested'],
])('%p is refused', (pattern, detail) => {
  expect(() => regex('a', pattern)).toThrow(detail);
});

test('the time is bounded by the states and the characters', () => {
  expect(regex('a'.repeat(5_000), '(a*)*b')).toBe(false);
  expect(() => regex('a', '(a{255}){40}')).toThrow('at most 10000 states');
  expect(() => regex('a'.repeat(100_000), 'a{250}{1}'.replace('{1}', '(b|c){200}'))).toThrow(
    'too large for a text',
  );
});
