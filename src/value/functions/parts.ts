/** Functions that take texts apart, with the argument order and the limits of PostgreSQL. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import type { Int64 } from '../arithmetic/int64.ts';
import { textFinderOf } from '../text-match/find-text.ts';
import { characterCount, isBasic, sliceCharacters } from './characters.ts';

/** Characters of `text` from position `from` on, which counts from 1. Positions before 1 count, but have no characters. */
export function substringFrom(text: string, from: Int64): string {
  return sliceCharacters(text, Math.max(0, Number(from) - 1), Number.POSITIVE_INFINITY);
}

export function substring(text: string, from: Int64, count: Int64): string {
  const [start, end] = span(from, count);
  return sliceCharacters(text, start, end);
}

export function substringOfBytes(bytes: Uint8Array, from: Int64, count: Int64): Uint8Array {
  const [start, end] = span(from, count);
  return start >= end ? new Uint8Array(0) : bytes.slice(start, Math.min(end, bytes.length));
}

/** Returns the positions [start, end), counted from 0. */
function span(from: Int64, count: Int64): readonly [number, number] {
  if (count < 0) {
    throw new EvaluationFailure(
      'invalid_argument',
      'the length of a substring must not be negative',
    );
  }
  const end = Number(BigInt(from) + BigInt(count)) - 1;
  return [Math.max(0, Number(from) - 1), Math.max(0, end)];
}

/** The position of the first occurrence, from 1; 0 if there is none. */
export function position(text: string, part: string): number {
  const found = textFinderOf(part)(text, 0);
  return found <= 0 ? found + 1 : characterCount(text.slice(0, found)) + 1;
}

export function left(text: string, count: Int64): string {
  const wanted = Number(count);
  return sliceCharacters(text, 0, wanted >= 0 ? wanted : characterCount(text) + wanted);
}

export function right(text: string, count: Int64): string {
  const wanted = Number(count);
  const from = wanted >= 0 ? characterCount(text) - wanted : -wanted;
  return sliceCharacters(text, Math.max(0, from), Number.POSITIVE_INFINITY);
}

/** Removes the characters of `set` from one end of the text or from both. */
export function trimmed(text: string, set: string, ends: 'left' | 'right' | 'both'): string {
  const characters = new Set(set);
  let [start, end] = [0, text.length];
  if (ends !== 'right') {
    while (start < end) {
      const character = characterAt(text, start);
      if (!characters.has(character)) break;
      start += character.length;
    }
  }
  if (ends !== 'left') {
    while (start < end) {
      const character = characterBefore(text, end);
      if (!characters.has(character)) break;
      end -= character.length;
    }
  }
  return text.slice(start, end);
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) as number);
}

function characterBefore(text: string, end: number): string {
  const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00;
  return text.slice(end - (isPair ? 2 : 1), end);
}

/** Splits at each occurrence of a delimiter that is not empty, in time proportional to the lengths. */
export function split(text: string, delimiter: string): string[] {
  const find = textFinderOf(delimiter);
  const parts: string[] = [];
  let from = 0;
  for (let at = find(text, 0); at >= 0; at = find(text, from)) {
    parts.push(text.slice(from, at));
    from = at + delimiter.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** The part of a number, from 1, or from the end if the number is negative. */
export function splitPart(text: string, delimiter: string, number: Int64): string {
  if (number === 0)
    throw new EvaluationFailure('invalid_argument', 'the number of a part must not be 0');
  const parts = delimiter === '' || text === '' ? [text] : split(text, delimiter);
  const wanted = Number(number);
  return parts[wanted > 0 ? wanted - 1 : parts.length + wanted] ?? '';
}

export function reversed(text: string): string {
  const characters = isBasic(text) ? text.split('') : [...text];
  return characters.reverse().join('');
}
