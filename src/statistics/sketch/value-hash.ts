/** A hash of a value in 53 bits: equal values, +0 and -0 among them, have the same, and different ones hardly ever. MurmurHash3, four bytes at a time. */

import { finishHash, mixWord } from '#base';
import { ByteString, type Datum, type Scalar } from '#value';

/** A value, or rows. */
type Literal = Datum | readonly Datum[];

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

/** So much of a text or byte string is looked at for the hash of a tuple of literals. */
const literalLengthMax = 64;
/** So many literals, or cells. */
const literalsMax = 64;

/** Of the literals that a program was run with; of many, or long ones, the first are looked at, and how many and how long they are. */
export function hashOfLiterals(literals: readonly Literal[]): number {
  const first = literals[0];
  if (literals.length === 1 && typeof first === 'number') return hashOf(first);
  let hash = literals.length;
  const open = [...literals.slice(0, literalsMax)].reverse();
  for (let looked = 0; open.length > 0 && looked < literalsMax; looked++) {
    const literal = open.pop() as Literal;
    if (Array.isArray(literal)) {
      hash = hashOfPair(hash, literal.length);
      open.push(...literal.slice(0, literalsMax).reverse());
    } else {
      hash = hashOfPair(hash, hashOfStart(literal as Scalar));
    }
  }
  return hash;
}

function hashOfStart(literal: Scalar): number {
  if (literal === null) return 0;
  if (typeof literal === 'string' && literal.length > literalLengthMax) {
    return hashOfPair(literal.length, hashOf(literal.slice(0, literalLengthMax)));
  }
  if (typeof literal === 'object' && literal.bytes.length > literalLengthMax) {
    const start = new ByteString(literal.bytes.subarray(0, literalLengthMax));
    return hashOfPair(literal.bytes.length, hashOf(start));
  }
  return hashOf(literal);
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
