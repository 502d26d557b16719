/** Functions of text. The values are those of PostgreSQL 15. */

import { describe, expect, test } from 'bun:test';
import { ByteString } from '#value';
import { called, calledAs } from './support.ts';

test('case mapping replaces one character by one', () => {
  expect(called('upper', 'straße ﬁ ŉ')).toBe('STRAßE ﬁ ŉ');
  expect(called('upper', 'ᾳ ῃ ᾀ ᾧ ᾖ')).toBe('ᾼ ῌ ᾈ ᾯ ᾞ');
  expect(called('lower', 'İSTANBUL ΟΔΟΣ')).toBe('istanbul οδοσ');
  expect(called('lower', '\u{10400}')).toBe('\u{10428}');
  expect(called('upper', 'abcÿ')).toBe('ABCŸ');
});

test('the length is the number of characters, or of bytes', () => {
  expect(called('length', '')).toBe(0);
  expect(called('length', 'a\u{1f600}é\u{10ffff}')).toBe(4);
  expect(called('length', new ByteString(new Uint8Array(3)))).toBe(3);
});

describe('to_text', () => {
  test.each([
    [0, '0'],
    [-0, '-0'],
    [3, '3'],
    [-1.5, '-1.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [123456789012345, '123456789012345'],
    [1e15, '1e+15'],
    [1.2345678901234568e21, '1.2345678901234568e+21'],
    [5e-324, '5e-324'],
    [1e100, '1e+100'],
  ])('of the float64 %p', (value, text) => {
    expect(calledAs('to_text', ['float64'], value)).toBe(text);
  });

  test('of other types', () => {
    expect(called('to_text', 'a')).toBe('a');
    expect(called('to_text', -7)).toBe('-7');
    expect(called('to_text', 9223372036854775807n)).toBe('9223372036854775807');
    expect(called('to_text', false)).toBe('false');
    expect(called('to_text', new ByteString(Uint8Array.of(0, 255)))).toBe('\\x00ff');
    expect(called('to_text', new ByteString(new Uint8Array(16), 'uuid'))).toBe(
      '00000000-0000-0000-0000-000000000000',
    );
  });
});

test('positions and counts may lie outside of the text', () => {
  expect(called('substring', 'abcdef', -2, 5)).toBe('ab');
  expect(called('substring', 'abcdef', -9223372036854775800n, 9223372036854775807n)).toBe('abcdef');
  expect(called('substring', 'a\u{1f600}bc', 2, 2)).toBe('\u{1f600}b');
  expect(() => called('substring', 'abc', 1, -1)).toThrow('must not be negative');
  expect(called('left', 'a\u{1f600}b', -1)).toBe('a\u{1f600}');
  expect(called('right', 'abc', -9223372036854775808n)).toBe('');
});

test('a text that would be too long is refused before it is made', () => {
  expect(() => called('repeat', 'ab', 9223372036854775807n)).toThrow('shorten its arguments');
  expect(() => called('lpad', 'a', 2 ** 24 + 1)).toThrow('shorten its arguments');
  const long = 'a'.repeat(2 ** 13);
  expect(() => called('replace', long, 'a', long)).toThrow('shorten its arguments');
  expect(called('replace', long, 'b', long)).toBe(long);
});

test('bytes are encoded and decoded as in PostgreSQL', () => {
  const long = new ByteString(new Uint8Array(60));
  expect(called('encode', long, 'base64')).toBe(`${'A'.repeat(76)}\nAAAA`);
  expect(called('decode', 'A A\nE =', 'base64')).toEqual(new ByteString(Uint8Array.of(0, 1)));
  expect(() => called('decode', 'AA', 'base64')).toThrow('not of the format base64');
  expect(() => called('decode', 'AA', 'octal')).toThrow('use hex, base64 or escape');
});
