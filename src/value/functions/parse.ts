/** Functions that read numbers and booleans from texts, with the rules of PostgreSQL: white space around the value is ignored. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import type { Int64 } from '../arithmetic/int64.ts';
import { parseFloat64, parseInt64Tolerant } from '../literal.ts';
import { overload, scalarFunction } from './overload.ts';
import { trimmed } from './parts.ts';

const raising = { canFail: true } as const;

export const parseFunctions = {
  parse_int64: scalarFunction(overload(['text'], 'int64', int64Of, raising)),
  parse_float64: scalarFunction(overload(['text'], 'float64', float64Of, raising)),
  parse_bool: scalarFunction(overload(['text'], 'bool', boolOf, raising)),
};

const space = ' \t\n\v\f\r';

function int64Of(text: string): Int64 {
  const digits = trimmed(text, space, 'both');
  const value = parseInt64Tolerant(digits);
  if (value !== undefined) return value;
  throw /^[+-]?[0-9]+$/.test(digits) ? outOfRange(text, 'int64') : malformed(text, 'an integer');
}

function float64Of(text: string): number {
  const digits = trimmed(text, space, 'both');
  const value = parseFloat64(digits);
  // A text with a digit other than 0 before its exponent must not become 0.
  const isLost = value === 0 && /^[^eE]*[1-9]/.test(digits);
  if (value !== undefined && !isLost) return value;
  throw isDecimal(digits) ? outOfRange(text, 'float64') : malformed(text, 'a decimal number');
}

/** Returns whether the text has the form of a number, NaN and infinity included, which no float64 of a database is. */
function isDecimal(text: string): boolean {
  return /^[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)$/i.test(
    text,
  );
}

/** The words, of which a beginning is enough if no other word begins so. */
const words: readonly (readonly [word: string, shortest: number, value: boolean])[] = [
  ['true', 1, true],
  ['false', 1, false],
  ['yes', 1, true],
  ['no', 1, false],
  ['on', 2, true],
  ['off', 2, false],
  ['1', 1, true],
  ['0', 1, false],
];

function boolOf(text: string): boolean {
  const given = trimmed(text, space, 'both').toLowerCase();
  for (const [word, shortest, value] of words) {
    if (given.length >= shortest && word.startsWith(given)) return value;
  }
  throw malformed(text, 'a bool');
}

function malformed(text: string, wanted: string): EvaluationFailure {
  return new EvaluationFailure('invalid_text', `the text ${shown(text)} is not ${wanted}`);
}

function outOfRange(text: string, type: string): EvaluationFailure {
  return new EvaluationFailure(
    'numeric_overflow',
    `the text ${shown(text)} is out of range of ${type}`,
  );
}

const shownMax = 100;

function shown(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}
