/** The frame of a catalog record: whatever is wrong with it is named. */

import { expect, test } from 'bun:test';
import { DatabaseError } from '#failure';
import { decodeFrame, encodeFrame } from '../../../src/catalog/stored/frame.ts';

function troubleOf(bytes: Uint8Array): string {
  try {
    decodeFrame(bytes, 'the record', (content) => content);
  } catch (error) {
    if (error instanceof DatabaseError) return `${error.failure.reason}: ${error.failure.detail}`;
    throw error;
  }
  return 'none';
}

test('a record comes back, wherever in its buffer it lies', () => {
  const bytes = encodeFrame({ a: ['ä'] });
  const within = new Uint8Array(bytes.length + 9).subarray(4, 4 + bytes.length);
  within.set(bytes);
  for (const each of [bytes, within]) {
    expect(decodeFrame(each, 'it', (content) => content)).toEqual({ a: ['ä'] });
  }
});

test('one without a content is too short', () => {
  const bytes = encodeFrame({});
  for (let length = 0; length <= 5; length++) {
    expect(troubleOf(bytes.subarray(0, length))).toBe(
      'catalog_corrupt: the record cannot be read: it is too short',
    );
  }
  expect(troubleOf(bytes.subarray(0, 6))).toContain('its checksum is wrong');
});

test('another format, a flipped bit, and a content that is not what it should be', () => {
  const bytes = encodeFrame({ a: 1 });
  expect(troubleOf(bytes.with(0, 2))).toContain('its format is 2, this version supports format 1');
  for (let at = 1; at < bytes.length; at++) {
    const flipped = bytes.with(at, (bytes[at] as number) ^ 4);
    expect(troubleOf(flipped)).toContain('its checksum is wrong');
  }
  const read = () => {
    throw new Error('no');
  };
  expect(() => decodeFrame(bytes, 'the record', read)).toThrow(
    'its content does not match its format',
  );
});

test('a record of a later format is read by a program that supports it, and by no other', () => {
  const bytes = encodeFrame({ a: 1 }, 2);
  expect(troubleOf(bytes)).toContain('its format is 2, this version supports format 1');
  expect(decodeFrame(bytes, 'it', (content, format) => [content, format], 2)).toEqual([
    { a: 1 },
    2,
  ]);
  const newer = () => decodeFrame(encodeFrame({}, 3), 'it', (content) => content, 2);
  expect(newer).toThrow('its format is 3, this version supports formats up to 2');
});
