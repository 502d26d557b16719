/** An answer in parts that a socket is asked to take at once. */

import { expect, test } from 'bun:test';
import { toParts } from '../../../src/http/edge/parts.ts';

const partLength = 256 << 10;

test.each([
  ['short', 'ä😀'],
  ['empty', ''],
  ['a pair across the boundary', `${'a'.repeat(partLength - 1)}😀b`],
  ['a pair behind the boundary', `${'a'.repeat(partLength)}😀`],
  ['pairs all over', '😀'.repeat(partLength)],
  ['one character all over', 'ä'.repeat(3 * partLength)],
])('a text arrives whole: %s', (_, text) => {
  const parts = [...toParts(text)];
  expect(Buffer.concat(parts).equals(Buffer.from(text))).toBe(true);
  expect(Math.max(0, ...parts.map((part) => part.length))).toBeLessThanOrEqual(3 * partLength);
});

test('no part ends inside a character', () => {
  const [first] = toParts(`${'a'.repeat(partLength - 1)}😀`);
  expect(first?.length).toBe(partLength - 1);
});

test('bytes are cut, not copied', () => {
  const bytes = new Uint8Array(2 * partLength + 7);
  const parts = [...toParts(bytes)];
  expect(parts.map((part) => part.length)).toEqual([partLength, partLength, 7]);
  expect(parts.every((part) => part.buffer === bytes.buffer)).toBe(true);
});
