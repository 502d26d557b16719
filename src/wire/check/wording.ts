/** Wording of findings: the received value, the allowed values, a suggestion. Only numbers and booleans are quoted from values. */

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

/** Returns a suggestion such as `: write "1"` for a number or boolean that must be a string, otherwise an empty string. */
export function asText(value: unknown): string {
  const text = value instanceof ExactNumber ? value.source : String(value);
  const isPlain =
    value instanceof ExactNumber || ['number', 'bigint', 'boolean'].includes(typeof value);
  return isPlain && text.length <= shownMax ? `: write ${quote(text)}` : '';
}

/** Returns a word of the sender in quotes, truncated to 60 characters. */
export function quote(word: string): string {
  return JSON.stringify(word.length > shownMax ? `${word.slice(0, shownMax)}…` : word);
}

export function listOf(words: readonly string[]): string {
  return words.map(quote).join(', ');
}

/** Returns `; did you mean "scan"?` if an allowed word is similar, otherwise the list of all allowed words. */
export function suggest(word: string, allowed: readonly string[]): string {
  const near = nearestOf(word, allowed);
  if (near !== undefined) return `; did you mean ${quote(near)}?`;
  return allowed.length === 1
    ? `; expected ${listOf(allowed)}`
    : `; allowed are ${listOf(allowed)}`;
}
