/** Parses literals and the cells of a `rows` node (docs/lir.md §6.1) from text to values. */

import { type Int64, toInt64 } from './arithmetic/int64.ts';
import { parseBase64 } from './base64.ts';
import { ByteString, type Scalar } from './datum.ts';
import type { ScalarType } from './types.ts';

/** Parses an int64; returns `undefined` if it is out of range or not of the form `-?(0|[1-9][0-9]*)`. */
export function parseInt64(text: string): Int64 | undefined {
  return isInt64Text(text) ? decodeInteger(text) : undefined;
}

/** Parses an int64 like parseInt64, but allows a leading `+` and leading zeros. */
export function parseInt64Tolerant(text: string): Int64 | undefined {
  const short = shortNumber(text, 0, text.length, false);
  // `+ 0` folds -0 into 0.
  if (!Number.isNaN(short)) return short + 0;
  return tolerantInteger.test(text) ? decodeInteger(text) : undefined;
}

/** Returns whether `text` has the grammar of an int64 literal, even if it is out of range. */
export function isInt64Text(text: string): boolean {
  return strictInteger.test(text);
}

/** Returns the nearest binary64; `undefined` if the text does not follow the decimal grammar or exceeds the finite range. */
export function parseFloat64(text: string): number | undefined {
  const short = shortNumber(text, 0, text.length, true);
  if (!Number.isNaN(short)) return short;
  if (!decimal.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Integers of this many digits are exact as floats, and so are the powers of ten up to this exponent. Their quotient is therefore the
 * nearest float.
 */
const shortDigits = 15;
const powers = Array.from({ length: shortDigits + 1 }, (_, i) => 10 ** i);
const [minus, point, zero, nine] = [0x2d, 0x2e, 0x30, 0x39] as const;

/**
 * Returns the number in `text[from, to)`: digits with an optional minus sign and, if allowed, a decimal point. Nearly all numbers have this
 * form. Returns NaN for any other text and for more digits.
 */
export function shortNumber(text: string, from: number, to: number, mayHavePoint: boolean): number {
  const isNegative = from < to && text.charCodeAt(from) === minus;
  const start = isNegative ? from + 1 : from;
  if (to - start > shortDigits) return Number.NaN;
  let whole = 0;
  let digits = 0;
  let behindPoint = -1;
  for (let at = start; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= zero && unit <= nine) {
      whole = whole * 10 + (unit - zero);
      digits++;
      if (behindPoint >= 0) behindPoint++;
    } else if (unit === point && mayHavePoint && behindPoint < 0) {
      behindPoint = 0;
    } else {
      return Number.NaN;
    }
  }
  if (digits === 0) return Number.NaN;
  const magnitude = behindPoint > 0 ? whole / (powers[behindPoint] as number) : whole;
  return isNegative ? -magnitude : magnitude;
}

type LiteralProblem = 'schema_violation' | 'type_mismatch';

type ParsedLiteral =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'problem'; readonly reason: LiteralProblem; readonly detail: string };

/** Parses a literal of `type`; NULL if `value` is absent. */
export function parseLiteral(type: ScalarType, value: string | boolean | undefined): ParsedLiteral {
  if (value === undefined) return { kind: 'value', value: null };
  if (typeof value === 'boolean') {
    return type === 'bool' ? { kind: 'value', value } : refused(type, 'schema_violation');
  }
  if (type === 'bool') return refused(type, 'schema_violation');
  if (type === 'int64' && !isInt64Text(value)) return refused(type, 'schema_violation');
  return parsed(type, value);
}

/** Parses a cell in a column of `type`; `null` is NULL. */
export function parseCell(type: ScalarType, text: string | null): ParsedLiteral {
  return text === null ? { kind: 'value', value: null } : parsed(type, text);
}

/** Returns a decoder for the cells of one column. The decoder returns `undefined` for an invalid cell, whose problem `parseCell` describes. */
export function cellParserOf(type: ScalarType): (text: string) => Scalar | undefined {
  return cellParsers[type];
}

function parsed(type: ScalarType, text: string): ParsedLiteral {
  const value = cellParsers[type](text);
  if (value !== undefined) return { kind: 'value', value };
  const isNumber = type === 'int64' || type === 'float64';
  return refused(type, isNumber ? 'type_mismatch' : 'schema_violation');
}

function refused(type: ScalarType, reason: LiteralProblem): ParsedLiteral {
  return { kind: 'problem', reason, detail: `expected ${wanted[type]}` };
}

const wanted: Readonly<Record<ScalarType, string>> = {
  text: 'text',
  int64: 'a decimal integer in the range of int64',
  float64: 'a decimal number that is a finite float64',
  bool: 'true or false',
  bytes: 'canonical padded base64',
};

const cellParsers: Readonly<Record<ScalarType, (text: string) => Scalar | undefined>> = {
  text: (text) => text,
  int64: parseInt64Tolerant,
  float64: parseFloat64,
  bool: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  bytes: (text) => {
    const bytes = parseBase64(text);
    return bytes && new ByteString(bytes);
  },
};

const strictInteger = /^-?(?:0|[1-9][0-9]*)$/;
const tolerantInteger = /^[+-]?[0-9]+$/;
const decimal = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

function decodeInteger(text: string): Int64 | undefined {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value + 0;
  // Apart from leading zeros, such a number has more digits than an int64, so it needs no large bigint.
  if (Math.abs(value) > 2 ** 64) return undefined;
  return text.startsWith('+') ? toInt64(BigInt(text.slice(1))) : toInt64(BigInt(text));
}
