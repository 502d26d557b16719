import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { piecesOf, textMatcherOf } from '#value';
import type { MatchPart, TextComparison } from '../../../src/value/text-match/match.ts';

/** `*` stands for any_many, all else for itself. */
function partsOf(pattern: string): MatchPart[] {
  return pattern
    .split(/(\*)/)
    .filter((part) => part !== '')
    .map((part) => (part === '*' ? { kind: 'any_many' } : { kind: 'literal', value: part }));
}

function matches(pattern: string, text: string, comparison: TextComparison = 'exact'): boolean {
  return textMatcherOf(partsOf(pattern), comparison)(text);
}

test('agrees with a regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀'), maxLength: 7 });
  const patterns = fc.string({
    unit: fc.constantFrom('a', 'b', '*', '*', '😀'),
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(patterns, letters, (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 'su');
      expect(matches(pattern, text)).toBe(expression.test(text));
    }),
    { numRuns: 3000 },
  );
});

test('literals do not overlap', () => {
  expect(matches('go*go', 'go')).toBe(false);
  expect(matches('go*go', 'gogo')).toBe(true);
  expect(matches('a*b*a', 'aba')).toBe(true);
  expect(matches('*ab*b', 'ab')).toBe(false);
});

test('a wildcard matches everything, newline and U+0000 too', () => {
  for (const text of ['', '\n', '\0', 'x']) expect(matches('*', text)).toBe(true);
  expect(matches('a*c', 'a\0\nc')).toBe(true);
});

test('adjacent parts melt together', () => {
  const literal = (value: string): MatchPart => ({ kind: 'literal', value });
  const any: MatchPart = { kind: 'any_many' };
  expect(piecesOf([literal('a'), literal('b'), any, any, literal('c')])).toEqual(['ab', 'c']);
  expect(piecesOf([any])).toEqual(['', '']);
});

test('exact tells case and composition apart, folding tells composition only', () => {
  expect(matches('straße', 'STRASSE', 'unicode_simple_fold')).toBe(false);
  expect(matches('STRAẞE*', 'straße 1', 'unicode_simple_fold')).toBe(true);
  expect(matches('*Kelvin', 'x \u212aELVIN', 'unicode_simple_fold')).toBe(true);
  expect(matches('Kelvin', 'kelvin')).toBe(false);
  expect(matches('é', 'e\u0301', 'unicode_simple_fold')).toBe(false);
});
