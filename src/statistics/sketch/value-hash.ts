/** 53-bit hashes of values by MurmurHash3, four bytes at a time. Equal values have equal hashes, including +0 and -0; different values rarely do. */

import { finishHash, mixWord } from '#base';
import type { ByteString, Datum, Scalar } from '#value';

/** A literal of a query: one value, or the rows of a `rows` node. */
type Literal = Datum | readonly Datum[];

const bits = new ArrayBuffer(8);
const float = new Float64Array(bits);
const big = new BigInt64Array(bits);
const words = new Int32Array(bits);

/** Returns the hash of a value. A `float64` and an `int64` in the safe integer range are hashed alike, since a column has one type. */
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

/** Number of UTF-16 units of a text, or of bytes, that enter the hash of a tuple of literals: the first 24 and the last 8. */
const literalStart = 24;
const literalEnd = 8;
/** Maximum number of literals, or cells, that enter the hash. */
const literalsMax = 64;

/** State of the hash of the current tuple, and the number of literals that may still enter it. Each executed program is hashed, so hashing allocates nothing and mixes once per word. */
let tuple = 0;
let turned = 0;
let left = 0;

/** Returns the hash of the literals of a program. Only a part of many or long literals enters the hash, together with their number and lengths. */
export function hashOfLiterals(literals: readonly Literal[]): number {
  tuple = 0x1b873593;
  turned = 0;
  left = literalsMax;
  takeAll(literals);
  return joined(tuple, turned);
}

function takeAll(literals: readonly Literal[]): void {
  takeWord(literals.length);
  for (let i = 0; i < literals.length && left > 0; i++) takeLiteral(literals[i] as Literal);
}

function takeLiteral(literal: Literal): void {
  if (Array.isArray(literal)) {
    takeAll(literal);
    return;
  }
  left--;
  const value = literal as Scalar;
  if (typeof value === 'number') {
    if (value === (value | 0)) {
      takeWord(value | 0);
      return;
    }
    float[0] = value;
    takeWord(words[0] as number);
    takeWord(words[1] as number);
  } else if (typeof value === 'string') {
    takeText(value);
  } else if (typeof value === 'bigint') {
    big[0] = value;
    takeWord(words[0] as number);
    takeWord(words[1] as number);
  } else if (value === null || typeof value === 'boolean') {
    takeWord(value === null ? 0x3c6ef372 : +value);
  } else {
    takeBytes(value);
  }
}

function takeWord(word: number): void {
  tuple = mixWord(tuple, word);
  turned = (Math.imul(turned, 31) + word) | 0;
}

function takeText(text: string): void {
  const { length } = text;
  takeWord(length);
  const start = Math.min(length, literalStart);
  for (let i = 0; i < start; i += 2) {
    takeWord(text.charCodeAt(i) | (i + 1 < length ? text.charCodeAt(i + 1) << 16 : 0));
  }
  for (let i = Math.max(start, length - literalEnd); i < length; i++) takeWord(text.charCodeAt(i));
}

function takeBytes({ bytes }: ByteString): void {
  const { length } = bytes;
  takeWord(length);
  const start = Math.min(length, literalStart);
  for (let i = 0; i < start; i++) takeWord(bytes[i] as number);
  for (let i = Math.max(start, length - literalEnd); i < length; i++) takeWord(bytes[i] as number);
}

/** Returns the hash of a tuple from the hash of its first members and the hash of the next member. */
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
