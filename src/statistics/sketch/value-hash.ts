/** A hash of a value in 53 bits: equal values, +0 and -0 among them, have the same, and different ones hardly ever. MurmurHash3, four bytes at a time. */

import { finishHash, mixWord } from '#base';
import type { ByteString, Scalar } from '#value';

const bits = new ArrayBuffer(8);
const float = new Float64Array(bits);
const big = new BigInt64Array(bits);
const words = new Int32Array(bits);

/** `float64` and `int64` hash alike: a column has one type. */
export function hashOf(value: NonNullable<Scalar>): number {
  switch (typeof value) {
    case 'number':
      float[0] = value + 0;
      return hashOfWords(0x9747b28c);
    case 'bigint':
      big[0] = value;
      return hashOfWords(0x2f0b4c47);
    case 'boolean':
      return value ? 1 : 2;
    case 'string':
      return hashOfText(value);
    default:
      return hashOfBytes(value);
  }
}

/** Of a tuple: of the hash of its first members, and the one of the next. */
export function hashOfPair(first: number, next: number): number {
  float[0] = first;
  const [low, high] = [words[0] as number, words[1] as number];
  float[0] = next;
  let state = mixWord(mixWord(0x1b873593, low), high);
  state = mixWord(mixWord(state, words[0] as number), words[1] as number);
  let other = mixWord(mixWord(0x38b34ae5, words[1] as number), words[0] as number);
  other = mixWord(mixWord(other, high), low);
  return joined(state, other);
}

function hashOfWords(seed: number): number {
  const [low, high] = [words[0] as number, words[1] as number];
  return joined(mixWord(mixWord(seed, low), high), mixWord(mixWord(seed ^ 0x5bd1e995, high), low));
}

function hashOfText(text: string): number {
  let state = 0x9747b28c ^ text.length;
  let other = 0x5bd1e995;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    state = mixWord(state, unit);
    other = (Math.imul(other, 31) + unit) | 0;
  }
  return joined(state, other);
}

function hashOfBytes({ bytes }: ByteString): number {
  let state = 0x85ebca6b ^ bytes.length;
  let other = 0x5bd1e995;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    state = mixWord(state, byte);
    other = (Math.imul(other, 31) + byte) | 0;
  }
  return joined(state, other);
}

function joined(state: number, other: number): number {
  const high = finishHash(state);
  return high * 0x20_0000 + (finishHash(other ^ high) >>> 11);
}
