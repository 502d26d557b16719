/** The words of findings: what was got, what is allowed, what was probably meant. Of values only numbers and booleans are shown. */

import { nearestOf } from '#base';
import { ExactNumber } from '#value';

export function nameOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof ExactNumber) return 'a number';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string' : 'a string';
    case 'number':
    case 'bigint':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'undefined':
      return 'nothing';
    default:
      return 'an object';
  }
}

const shownMax = 60;

/** `: write "1"` for what was sent as a number or a boolean where its text is wanted. */
export function asText(value: unknown): string {
  const text = value instanceof ExactNumber ? value.source : String(value);
  const isPlain =
    value instanceof ExactNumber || ['number', 'bigint', 'boolean'].includes(typeof value);
  return isPlain && text.length <= shownMax ? `: write ${quote(text)}` : '';
}

/** A word of the sender, quoted and cut. */
export function quote(word: string): string {
  return JSON.stringify(word.length > shownMax ? `${word.slice(0, shownMax)}…` : word);
}

export function listOf(words: readonly string[]): string {
  return words.map(quote).join(', ');
}

/** `; did you mean "scan"?` where one is near, otherwise the whole list. */
export function suggest(word: string, allowed: readonly string[]): string {
  const near = nearestOf(word, allowed);
  if (near !== undefined) return `; did you mean ${quote(near)}?`;
  return allowed.length === 1
    ? `; expected ${listOf(allowed)}`
    : `; allowed are ${listOf(allowed)}`;
}
