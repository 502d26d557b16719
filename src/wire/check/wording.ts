/** The words of findings: what was got, what is allowed, what was probably meant. Of values only numbers and booleans are shown. */

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
  const near = nearest(word, allowed);
  if (near !== undefined) return `; did you mean ${quote(near)}?`;
  return allowed.length === 1
    ? `; expected ${listOf(allowed)}`
    : `; allowed are ${listOf(allowed)}`;
}

function nearest(word: string, allowed: readonly string[]): string | undefined {
  let best: string | undefined;
  if (word.length > shownMax) return undefined;
  let bestDistance = tolerance(word) + 1;
  for (const candidate of allowed) {
    const distance = editDistance(word.toLowerCase(), candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** How many edits a typing mistake has: two neighbours swapped count as two. */
function tolerance(word: string): number {
  return word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
}

/** Levenshtein, one row at a time. */
function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (above[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, (above[j] as number) + 1, (row[j - 1] as number) + 1);
    }
    above = row;
  }
  return above[right.length] as number;
}
