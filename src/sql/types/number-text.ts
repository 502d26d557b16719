/** Texts of numbers as PostgreSQL reads and writes them. */

import { type Int64, toInt64 } from '#value';
import { sqlError, unsupported } from '../sql-error.ts';
import { invalidText, outOfRange } from './text-error.ts';

interface IntegerRange {
  readonly text: string;
  readonly min: bigint;
  readonly max: bigint;
}

/** The ranges of the integer types. PostgreSQL reads negative numbers as an oid modulo 2³². */
export const integerRanges = {
  int2: { text: 'smallint', min: -(2n ** 15n), max: 2n ** 15n - 1n },
  int4: { text: 'integer', min: -(2n ** 31n), max: 2n ** 31n - 1n },
  int8: { text: 'bigint', min: -(2n ** 63n), max: 2n ** 63n - 1n },
  oid: { text: 'oid', min: -(2n ** 31n), max: 2n ** 32n - 1n },
} as const satisfies Record<string, IntegerRange>;
export type IntegerName = keyof typeof integerRanges;

const integerPattern = /^[\t-\r ]*([+-]?\d+)[\t-\r ]*$/;

export function readInteger(name: IntegerName, text: string): Int64 {
  const range = integerRanges[name];
  const digits = integerPattern.exec(text)?.[1];
  if (digits === undefined) throw invalidText(range.text, text);
  const value = BigInt(digits.startsWith('+') ? digits.slice(1) : digits);
  if (value < range.min || value > range.max) throw outOfRange(range.text, text);
  return toInt64(name === 'oid' ? BigInt.asUintN(32, value) : value) as Int64;
}

const floatPattern = /^[\t-\r ]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[\t-\r ]*$/;
const specialPattern = /^[\t-\r ]*(?:[+-]?inf(?:inity)?|[+-]?nan)[\t-\r ]*$/i;
const float32Max = 3.4028235677973366e38;

/** Reads a finite number. NaN and infinities are refused as out of range. */
export function readFloat(name: 'float4' | 'float8', text: string): number {
  const type = name === 'float4' ? 'real' : 'double precision';
  if (specialPattern.test(text)) throw floatOverflow(type, text.trim());
  const digits = floatPattern.exec(text)?.[1];
  if (digits === undefined) throw invalidText(type, text);
  const exact = Number(digits);
  const isHuge = name === 'float4' ? Math.abs(exact) >= float32Max : !Number.isFinite(exact);
  const value = name === 'float4' ? Math.fround(exact) : exact;
  const isLost = value === 0 && /[1-9]/.test(digits.replace(/[eE].*$/, ''));
  if (isHuge || isLost) throw floatOverflow(type, digits);
  return value;
}

function floatOverflow(type: string, text: string) {
  return sqlError('22003', `"${text}" is out of range for type ${type}`);
}

/** Writes the shortest text that identifies the number: 15 for a `float8` of 15, `1e+15` from there on. */
export function writeFloat(name: 'float4' | 'float8', value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const digits = name === 'float4' ? shortestFloat32(value) : value.toExponential();
  const [mantissa = '', exponentText = ''] = digits.split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < (name === 'float4' ? 6 : 15)) return fixedText(digits);
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
}

/** Returns the digits in exponential form that are the fewest to identify the number among those of 32 bits. */
function shortestFloat32(value: number): string {
  const single = Math.fround(value);
  for (let digits = 0; digits < 9; digits++) {
    const text = single.toExponential(digits);
    if (Math.fround(Number(text)) === single) return text.replace(/\.?0+e/, 'e');
  }
  return single.toExponential(9);
}

/** Writes a number of exponential form without an exponent. */
function fixedText(text: string): string {
  const [mantissa = '', exponentText = ''] = text.split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponentText);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Writes a number as `numeric` does, without an exponent. */
export function writeNumeric(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value);
  return value === 0 ? '0' : fixedText(value.toExponential());
}

/** Reads a `numeric`. A number that a float64 does not represent to its last digit is refused. */
export function readNumeric(text: string): number {
  if (specialPattern.test(text)) throw unsupported(`the numeric "${text.trim()}"`);
  const digits = floatPattern.exec(text)?.[1];
  if (digits === undefined) throw invalidText('numeric', text);
  const value = Number(digits);
  if (Number.isFinite(value) && significant(digits) === significant(value.toExponential())) {
    return value;
  }
  throw unsupported('a numeric of more digits than a double precision has', {
    hint: 'Use bigint, or text for exact decimal numbers.',
  });
}

/** Returns the digits of a number without leading and trailing zeros. */
function significant(text: string): string {
  const digits = text.replace(/[eE].*$/, '').replace(/[^0-9]/g, '');
  return digits.replace(/^0+/, '').replace(/0+$/, '');
}
