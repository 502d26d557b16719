/** Finds the position of a JSON syntax error, which the errors of JSON.parse do not contain. */

import { neverYield, runWithoutWaiting, type Steps, type YieldPolicy } from '#base';
import { blankEnd, plainEnd } from './scan.ts';

const bare = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Number of members and elements between two yields. */
const signsAtOnce = 2048;

/** The tokens that may come next. */
type Next = 'value' | 'value or end' | 'name' | 'name or end' | 'more';

/**
 * Returns the offset of the first character that may not follow the preceding text, or the length of the text if it ends too early. Returns
 * `undefined` if the text is JSON. Runs in one pass without recursion.
 */
export function malformedAt(text: string): number | undefined {
  return runWithoutWaiting(malformedSteps(text, neverYield));
}

/** Does the same as `malformedAt`, but yields as `pace` requires. */
export function* malformedSteps(text: string, pace: YieldPolicy): Steps<number | undefined> {
  const open: ('{' | '[')[] = [];
  let next: Next = 'value';
  let at = blankEnd(text, 0);
  for (let signs = 1; next !== 'more' || open.length > 0; signs++) {
    const wait = signs % signsAtOnce === 0 ? pace.pause(Number.POSITIVE_INFINITY) : undefined;
    if (wait !== undefined) yield wait;
    const sign = text[at];
    const inside = open.at(-1);
    if (sign === undefined) return at;
    if (isEnd(sign, inside, next)) {
      open.pop();
      next = 'more';
      at++;
    } else if (next === 'more') {
      if (sign !== ',') return at;
      next = inside === '{' ? 'name' : 'value';
      at++;
    } else if (next === 'name' || next === 'name or end') {
      if (sign !== '"') return at;
      const end = endOfText(text, at);
      if (end < 0) return -end;
      at = blankEnd(text, end);
      if (text[at] !== ':') return at;
      next = 'value';
      at++;
    } else if (sign === '{' || sign === '[') {
      open.push(sign);
      next = sign === '{' ? 'name or end' : 'value or end';
      at++;
    } else {
      const end = sign === '"' ? endOfText(text, at) : skip(bare, text, at);
      if (end < 0) return -end;
      if (end === at) return at;
      next = 'more';
      at = end;
    }
    at = blankEnd(text, at);
  }
  return at < text.length ? at : undefined;
}

/** Returns a position in the form `line 3, column 17`, both counted from 1. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

function isEnd(sign: string, inside: '{' | '[' | undefined, next: Next): boolean {
  if (sign === '}') return inside === '{' && (next === 'more' || next === 'name or end');
  return sign === ']' && inside === '[' && (next === 'more' || next === 'value or end');
}

/** Returns the offset after the string that begins at `from`. If the string is malformed, returns the negative offset of the error. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; ; ) {
    const plain = plainEnd(text, at, text.length);
    if (text[plain] === '"') return plain + 1;
    at = skip(escaped, text, plain);
    if (at === plain) return -at;
  }
}

/** Returns the offset after the match of `pattern` at `at`; `at` if it does not match. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
