/** Where a text stops being JSON. JSON.parse says whether it is one at all, and the longest prefix that some end completes says where. */

import { expect, test } from 'bun:test';
import { malformedAt, placeIn } from '../../../src/value/json/malformed-at.ts';

const documents = [
  '{"a": [1, -2.5e+3, true, null], "b\\u00e9\\n": {"c": "x\\\\\\"y"}, "d": []}',
  '[[], {}, [{}], "", 0, -0, 1E2, false]',
  '  "text" ',
  '-1',
];

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each([
  ['', 0],
  ['{', 1],
  ['{"a" 1}', 5],
  ['{"a": 1,}', 8],
  ['{"a": 1 "b": 2}', 8],
  ['[1, 2', 5],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{a: 1}', 1],
  ["{'a': 1}", 1],
  ['[01]', 2],
  ['[1.]', 2],
  ['[tru]', 1],
  ['["a\tb"]', 3],
  ['["a\\x"]', 3],
  ['["abc', 5],
  ['1 2', 2],
  ['[}', 1],
  ['{]', 1],
  [']', 0],
  ['{"a": }', 6],
  ['{"a"}', 4],
])('%s stops at %i', (text, at) => {
  expect(isJson(text)).toBe(false);
  expect(malformedAt(text)).toBe(at);
});

test('exactly what JSON.parse takes is JSON, whatever one character of it becomes', () => {
  for (const document of documents) {
    expect(malformedAt(document)).toBeUndefined();
    for (let at = 0; at < document.length; at++) {
      for (const sign of [
        '',
        ',',
        ':',
        '"',
        '{',
        '}',
        '[',
        ']',
        '\\',
        '1',
        '-',
        't',
        ' ',
        '\n',
        '.',
      ]) {
        const text = document.slice(0, at) + sign + document.slice(at + 1);
        expect([text, malformedAt(text) === undefined]).toEqual([text, isJson(text)]);
      }
    }
  }
});

test('what stands before the place is where the text begins to differ', () => {
  for (const document of documents) {
    for (let at = 0; at < document.length; at++) {
      const found = malformedAt(`${document.slice(0, at)}\u0001${document.slice(at)}`);
      expect(found).toBeLessThanOrEqual(at);
    }
  }
});

test('a place is told by line and column, both from 1', () => {
  expect(placeIn('abc', 0)).toBe('line 1, column 1');
  expect(placeIn('ab\ncd\n', 4)).toBe('line 2, column 2');
  expect(placeIn('ab\ncd\n', 6)).toBe('line 3, column 1');
});

test('a long string takes no stack', () => {
  expect(malformedAt(`["${'\\u00e9x'.repeat(500_000)}"`)).toBe(3_500_003);
});
