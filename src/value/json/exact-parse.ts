/**
 * A JSON.parse that loses no digit of an integer. Numbers that JSON.parse would round are passed through it as strings that begin with a
 * lone surrogate, which no other string does because text is well-formed. A reviver would have the same effect but be ten times slower.
 */

import { ExactNumber } from './exact-number.ts';
import { isBlank, isDigit, setMember, stringEnd } from './scan.ts';

/** Longer integers are far outside int64, and creating a bigint of millions of digits takes seconds. */
const digitsMax = 100;

const mark = '\ud800';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Parses `text`, which must be valid JSON without lone surrogates. */
export function parseMarked(text: string): unknown {
  const spans = blurredNumbers(text);
  if (spans.length === 0) return JSON.parse(text);
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to } of spans) {
    pieces.push(text.slice(at, from), `"${mark}`, text.slice(from, to), '"');
    at = to;
  }
  return restored(JSON.parse(pieces.join('') + text.slice(at)));
}

/** Returns unsafe integers, and integral numbers with a fraction or exponent that are the value of a member named `value`. */
function blurredNumbers(text: string): readonly Span[] {
  const spans: Span[] = [];
  let string: Span = { from: 0, to: 0 };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      string = { from: at, to: stringEnd(text, at) + 1 };
      at = string.to - 1;
    } else if (unit === 0x2d || isDigit(unit)) {
      const to = endOfNumber(text, at);
      if (mayBlur(text, at, to) && isBlurred(text, { from: at, to }, string))
        spans.push({ from: at, to });
      at = to - 1;
    }
  }
  return spans;
}

function endOfNumber(text: string, from: number): number {
  let to = from + 1;
  while (to < text.length && isOfNumber(text.charCodeAt(to))) to++;
  return to;
}

/** Returns whether the unit is a digit, sign, point or exponent mark. */
function isOfNumber(unit: number): boolean {
  return isDigit(unit) || unit === 0x2e || unit === 0x2b || unit === 0x2d || (unit | 0x20) === 0x65;
}

/** Excludes most numbers quickly: they are short integers, or are not the value of a member. */
function mayBlur(text: string, from: number, to: number): boolean {
  if (to - from > 15) return true;
  const before = text.charCodeAt(from - 1);
  return before === 0x3a || isBlank(before);
}

/** Returns whether JSON.parse would lose information of the number. `string` is the last string before the number. */
function isBlurred(text: string, { from, to }: Span, string: Span): boolean {
  const source = text.slice(from, to);
  if (integer.test(source)) {
    return (
      source.length > 15 && source.length <= digitsMax && !Number.isSafeInteger(Number(source))
    );
  }
  return Number.isInteger(Number(source)) && isValueOf(text, from, string);
}

/** Returns whether `string` is `value` and only a colon and white space separate it from `from`. */
function isValueOf(text: string, from: number, string: Span): boolean {
  let at = from - 1;
  while (at > string.to && isBlank(text.charCodeAt(at))) at--;
  if (text[at] !== ':') return false;
  at--;
  while (at >= string.to && isBlank(text.charCodeAt(at))) at--;
  return at === string.to - 1 && JSON.parse(text.slice(string.from, string.to)) === 'value';
}

const integer = /^-?[0-9]+$/;

/** Replaces the marked strings in the document by their numbers. */
function restored(document: unknown): unknown {
  const root = { document };
  const open: object[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null) open.push(value);
      else if (typeof value === 'string' && value.startsWith(mark))
        setMember(holder, name, numberOf(value.slice(1)));
    }
  }
  return root.document;
}

function numberOf(source: string): bigint | ExactNumber {
  return integer.test(source) ? BigInt(source) : new ExactNumber(source);
}
