/**
 * Prefixes of sort keys that are numbers: unsigned 32-bit integers in the order of the keys. Different keys can have the same prefix; equal keys
 * always have it. NULL has the lowest prefix, which no number has.
 */

import type { Datum } from '#value';
import type { Vector } from '../../batch/vector.ts';

/** Number of prefixes. */
export const prefixCount = 2 ** 32;
const lastPrefix = prefixCount - 1;
const signBit = 0x80000000;
const negativeZero = signBit | 0;

const number = new Float64Array(1);
/** The words of `number`, the high one last. */
const words = new Uint32Array(number.buffer);

/** Writes to `out` the prefixes of the first `count` selected keys. With `descending`, the order is the exact reverse. */
export function prefixesOf(
  keys: Vector,
  selection: Uint32Array,
  count: number,
  descending: boolean,
  out: Uint32Array,
): void {
  const flip = descending ? -1 : 0;
  if (keys instanceof Float64Array) {
    prefixesOfFloats(wordsOf(keys), selection, count, flip, out);
    return;
  }
  for (let i = 0; i < count; i++) {
    out[i] = prefixOf(keys[selection[i] as number] as Datum) ^ flip;
  }
}

/** Reads the words of the numbers in place: a number that is written and read as words at once makes the processor wait. */
function prefixesOfFloats(
  words: Int32Array,
  selection: Uint32Array,
  count: number,
  flip: number,
  out: Uint32Array,
): void {
  for (let i = 0; i < count; i++) {
    const at = (selection[i] as number) * 2;
    out[i] = prefixOfWords(words[at + 1] as number, words[at] as number) ^ flip;
  }
}

const wordsOf = ({ buffer, byteOffset, length }: Float64Array) =>
  new Int32Array(buffer, byteOffset, length * 2);

function prefixOf(key: Datum): number {
  if (key === null) return 0;
  number[0] = Number(key);
  return prefixOfWords(words[1] as number, words[0] as number);
}

function prefixOfWords(high: number, low: number): number {
  // -0 has the prefix of +0.
  if (low === 0 && (high | 0) === negativeZero) return signBit;
  return high ^ ((high >> 31) | signBit);
}

/** Returns inclusive bounds of the keys, except NULL, whose prefixes are from `from` to `to`. The bounds may include 0 in addition. */
export function keysWithin(
  from: number,
  to: number,
  descending: boolean,
): { readonly min: number; readonly max: number } {
  const [low, high] = descending ? [lastPrefix - to, lastPrefix - from] : [from, to];
  return { min: endOf(low, true), max: endOf(high, false) };
}

/** Returns the smallest or the greatest number with a prefix. */
function endOf(prefix: number, isLeast: boolean): number {
  const isNegative = prefix < signBit;
  words[1] = isNegative ? ~prefix : prefix ^ signBit;
  words[0] = isNegative === isLeast ? lastPrefix : 0;
  const end = number[0] as number;
  if (!Number.isNaN(end)) return end;
  // The next words after those of an infinity belong to no number.
  return isNegative ? -Infinity : Infinity;
}
