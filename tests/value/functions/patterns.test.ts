/** Patterns of SQL. The values are those of PostgreSQL 15. */

import { expect, test } from 'bun:test';
import { called } from './support.ts';

const like = (text: string, pattern: string, ...mark: string[]) =>
  called('like', text, pattern, ...mark);

test('an underscore is one character, a percent sign any number of them', () => {
  expect(like('a\u{1f600}c', 'a_c')).toBe(true);
  expect(like('a\u{1f600}c', 'a__c')).toBe(false);
  expect(like('mississippi', '%i_s%p_')).toBe(true);
  expect(like('mississippi', '%i_s%s_p_')).toBe(false);
  expect(like('a\nb', '_%_')).toBe(true);
  expect(like('', '%')).toBe(true);
  expect(like('', '_')).toBe(false);
});

test('a gap is found in texts longer than a word of bits', () => {
  const text = `${'a'.repeat(100)}b${'a'.repeat(40)}`;
  expect(like(`x${text}y`, `%${'a'.repeat(40)}_${'a'.repeat(40)}%`)).toBe(true);
  expect(like(text, `%b${'_'.repeat(40)}`)).toBe(true);
  expect(like(text, `%b${'_'.repeat(41)}`)).toBe(false);
  expect(like(text, `%b${'a'.repeat(39)}_a%`)).toBe(false);
});

test('the escape makes the next character literal', () => {
  expect(like('a%c', 'a\\%c')).toBe(true);
  expect(like('abc', 'a\\%c')).toBe(false);
  expect(like('a_c', 'a#_c', '#')).toBe(true);
  expect(like('a\\c', 'a\\c', '')).toBe(true);
  expect(like('50%', '50%%', '%')).toBe(true);
  expect(like('a', 'a\\')).toBe(false);
  expect(() => like('a', 'a#', '#')).toThrow('must not end with its escape');
  expect(() => like('a', 'a', '##')).toThrow('one character or empty');
});

test('ilike compares without case', () => {
  expect(called('ilike', 'ÀÉ\u{10400}', 'à_\u{10428}')).toBe(true);
  expect(called('ilike', 'straße', 'STRASSE')).toBe(false);
});

test('a pattern has at most 10,000 characters', () => {
  const most = '_'.repeat(10_000);
  expect(like('a', most)).toBe(false);
  expect(() => like('a', `${most}_`)).toThrow('at most 10000 characters');
  const gap = `%${'_a'.repeat(4_000)}%`;
  expect(like('a'.repeat(10_000), gap)).toBe(true);
  expect(() => like('a'.repeat(2 ** 20), gap)).toThrow('too large for a text');
});
