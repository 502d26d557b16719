/** Decodes the encoding of encode.ts. The bytes are trusted, because they come from verified blocks. */

import { decodeUtf8, invariant } from '#base';
import { ByteString, type Scalar } from '../datum.ts';
import type { IdentifierFormat, ScalarType } from '../types.ts';
import { escapeByte, float64Tag, int64Tag, nullTag, terminator, textTag, trueTag } from './tags.ts';

/**
 * Returns the member that starts at `at`; `skipKeyMember` returns the start of the next one. A float64 that was encoded as -0 is returned
 * as +0. `format` becomes the format of a bytes value.
 */
export function decodeKeyMember(
  bytes: Uint8Array,
  at: number,
  type: ScalarType,
  format?: IdentifierFormat,
): Scalar {
  const tag = bytes[at];
  if (tag === nullTag) return null;
  switch (type) {
    case 'int64':
      return decodeInt64(bytes, at + 1);
    case 'text':
      return decodeText(bytes, at + 1);
    case 'bytes':
      return new ByteString(unescaped(bytes, at + 1, endOfString(bytes, at + 1)), format);
    case 'bool':
      return tag === trueTag;
    case 'float64':
      return decodeFloat64(bytes, at + 1);
  }
}

/** Returns the start of the member after the one at `at`. */
export function skipKeyMember(bytes: Uint8Array, at: number): number {
  const tag = bytes[at] as number;
  if (tag === int64Tag || tag === float64Tag) return at + 9;
  if (tag >= textTag) return endOfString(bytes, at + 1) + 1;
  invariant(tag >= nullTag && tag <= trueTag, 'a key member starts with a tag');
  return at + 1;
}

/** Returns the start of the member `count` members after the one at `at`. */
export function skipKeyMembers(bytes: Uint8Array, at: number, count: number): number {
  let next = at;
  for (let i = 0; i < count; i++) next = skipKeyMember(bytes, next);
  return next;
}

function decodeInt64(bytes: Uint8Array, at: number): number | bigint {
  const high = readInt32(bytes, at) ^ 0x8000_0000;
  const low = readInt32(bytes, at + 4) >>> 0;
  const value = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
}

function readInt32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

const scratch = new DataView(new ArrayBuffer(8));

function decodeFloat64(bytes: Uint8Array, at: number): number {
  const isNegative = (bytes[at] as number) < 0x80;
  const high = readInt32(bytes, at);
  const low = readInt32(bytes, at + 4);
  scratch.setInt32(0, isNegative ? ~high : high ^ 0x8000_0000);
  scratch.setInt32(4, isNegative ? ~low : low);
  return scratch.getFloat64(0);
}

function decodeText(bytes: Uint8Array, from: number): string {
  const to = endOfString(bytes, from);
  for (let at = from; at < to; at++) {
    if (bytes[at] === escapeByte) return decodeUtf8(unescaped(bytes, from, to));
  }
  return decodeUtf8(bytes, from, to);
}

/** Returns the position of the terminator of the text or bytes that start at `from`. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== terminator) at++;
  invariant(at < bytes.length, 'a key string is terminated');
  return at;
}

function unescaped(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const result = new Uint8Array(to - from);
  let length = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    result[length++] = byte === escapeByte ? (bytes[++at] as number) - 1 : byte;
  }
  return length === to - from ? result : result.slice(0, length);
}
