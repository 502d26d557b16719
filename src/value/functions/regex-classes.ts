/** Classes of characters in regular expressions. */

import { lowerText, upperText } from './case-mapping.ts';

export type CharacterTest = (character: string) => boolean;

const testOf =
  (pattern: RegExp): CharacterTest =>
  (character) =>
    pattern.test(character);
const not =
  (test: CharacterTest): CharacterTest =>
  (character) =>
    !test(character);

const digit = testOf(/^[0-9]$/);
const space = testOf(/^[\t-\r \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]$/);
const alphanumeric = testOf(/^[\p{Alphabetic}\p{Nd}]$/u);
const word: CharacterTest = (character) => character === '_' || alphanumeric(character);

const named: ReadonlyMap<string, CharacterTest> = new Map([
  ['digit', digit],
  ['space', space],
  ['alnum', alphanumeric],
  ['alpha', testOf(/^(?:\p{Alphabetic}|(?![0-9])\p{Nd})$/u)],
  ['word', word],
  ['blank', testOf(/^[\t \u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]$/)],
  ['xdigit', testOf(/^[0-9A-Fa-f]$/)],
  ['upper', (character) => lowerText(character) !== character],
  ['lower', (character) => upperText(character) !== character],
]);

const escapes: ReadonlyMap<string, CharacterTest> = new Map([
  ['d', digit],
  ['D', not(digit)],
  ['s', space],
  ['S', not(space)],
  ['w', word],
  ['W', not(word)],
  ...[...'tnvfr'].map((letter, i): [string, CharacterTest] => {
    const control = '\t\n\v\f\r'[i];
    return [letter, (character) => character === control];
  }),
]);

export function classNamed(name: string): CharacterTest | undefined {
  return named.get(name);
}

export function classOfEscape(letter: string): CharacterTest | undefined {
  return escapes.get(letter);
}

/** Returns a test that also accepts the other case of each character. */
export function withoutCase(test: CharacterTest): CharacterTest {
  return (character) => test(character) || test(lowerText(character)) || test(upperText(character));
}
