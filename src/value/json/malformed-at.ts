/** Where a text stops being JSON: JSON.parse says what it expected, and not where. */

import { finishSteps, type Pace, type Steps, unpaced } from '#base';
import { blankEnd, plainEnd } from './scan.ts';

const bare = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Members and elements between two looks at the time. */
const signsAtOnce = 2048;

/** What may come next. */
type Next = 'value' | 'value or end' | 'name' | 'name or end' | 'more';

/**
 * The offset of the first character that cannot follow what stands before it, the length of the text where it ends too early; undefined when it is
 * JSON. One pass without recursion.
 */
export function malformedAt(text: string): number | undefined {
  return finishSteps(malformedSteps(text, unpaced));
}

/** As `malformedAt`, giving way as `pace` demands. */
export function* malformedSteps(text: string, pace: Pace): Steps<number | undefined> {
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

/** `line 3, column 17`, both from 1. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

function isEnd(sign: string, inside: '{' | '[' | undefined, next: Next): boolean {
  if (sign === '}') return inside === '{' && (next === 'more' || next === 'name or end');
  return sign === ']' && inside === '[' && (next === 'more' || next === 'value or end');
}

/** Behind the string that begins at `from`; where it is wrong, that place with a minus. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; ; ) {
    const plain = plainEnd(text, at, text.length);
    if (text[plain] === '"') return plain + 1;
    at = skip(escaped, text, plain);
    if (at === plain) return -at;
  }
}

/** Behind what `pattern` finds at `at`; `at` when that is nothing. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
