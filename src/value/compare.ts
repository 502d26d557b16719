/**
 * The value order of docs/lir.md §2: NULL first, text by code point, -0 equal to +0, bytes unsigned. Values that compare equal are identical.
 */

import { compareBytes } from '#base';
import type { ByteString, Scalar } from './datum.ts';
import type { ScalarType } from './types.ts';

/** Returns a negative number, zero or a positive number. */
type Comparator<T = Scalar> = (left: T, right: T) => number;

/** Returns the order of `type` with NULL before every value. */
export function comparatorOf(type: ScalarType): Comparator {
  return comparators[type];
}

/** Returns the order of `type` among non-NULL values. A NULL operand gives an unspecified result. */
export function valueComparatorOf(type: ScalarType): Comparator {
  return valueComparators[type] as Comparator;
}

/** Compares by code point, which is the order of the UTF-8 bytes. An order by UTF-16 code units would put surrogates before U+E000. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return a >= 0xd800 && b >= 0xd800 ? liftSurrogate(a) - liftSurrogate(b) : a - b;
  }
  return left.length - right.length;
}

/** Compares two integers or floats. A number and a bigint can be mixed: JavaScript compares them exactly. */
export function compareNumbers(left: number | bigint, right: number | bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function liftSurrogate(unit: number): number {
  return unit < 0xe000 ? unit + 0x10000 : unit;
}

function compareBooleans(left: boolean, right: boolean): number {
  return Number(left) - Number(right);
}

function compareByteStrings(left: ByteString, right: ByteString): number {
  return compareBytes(left.bytes, right.bytes);
}

const valueComparators = {
  text: compareText,
  int64: compareNumbers,
  float64: compareNumbers,
  bool: compareBooleans,
  bytes: compareByteStrings,
};

const comparators: Readonly<Record<ScalarType, Comparator>> = {
  text: nullsFirst(compareText),
  int64: nullsFirst(compareNumbers),
  float64: nullsFirst(compareNumbers),
  bool: nullsFirst(compareBooleans),
  bytes: nullsFirst(compareByteStrings),
};

function nullsFirst<T extends Scalar>(compare: Comparator<T>): Comparator {
  return (left, right) => {
    if (left === null) return right === null ? 0 : -1;
    if (right === null) return 1;
    return compare(left as T, right as T);
  };
}
