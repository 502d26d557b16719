/** Functions whose text can be much longer than their arguments. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import type { Int64 } from '../arithmetic/int64.ts';
import { characterCount, sliceCharacters } from './characters.ts';
import { split } from './parts.ts';

/** Maximum number of UTF-16 units of the text that a function returns. */
const textLengthMax = 2 ** 24;

function checkLength(units: number): void {
  if (units <= textLengthMax) return;
  const detail = `a function returns at most ${textLengthMax} characters, and this call would return more; shorten its arguments`;
  throw new EvaluationFailure('memory_limit', detail);
}

export function repeated(text: string, count: Int64): string {
  const times = Math.max(0, Number(count));
  if (text === '') return '';
  checkLength(text.length * times);
  return text.repeat(times);
}

export function replaced(text: string, from: string, to: string): string {
  if (from === '') return text;
  const parts = split(text, from);
  checkLength(text.length + (parts.length - 1) * (to.length - from.length));
  return parts.length === 1 ? text : parts.join(to);
}

export function concatenated(...texts: readonly string[]): string {
  checkLength(texts.reduce((sum, { length }) => sum + length, 0));
  return texts.join('');
}

/** Extends or truncates the text to a number of characters, with copies of `fill` at one end. */
export function padded(text: string, length: Int64, fill: string, end: 'left' | 'right'): string {
  const wanted = Math.max(0, Number(length));
  const missing = wanted - characterCount(text);
  if (missing <= 0 || fill === '') return sliceCharacters(text, 0, wanted);
  checkLength(text.length + missing);
  const fillCount = characterCount(fill);
  checkLength(text.length + (missing / fillCount) * fill.length);
  const padding = sliceCharacters(fill.repeat(Math.ceil(missing / fillCount)), 0, missing);
  return end === 'left' ? padding + text : text + padding;
}
