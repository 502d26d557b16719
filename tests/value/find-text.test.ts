/** Searching texts: the same places as `indexOf`, and quickly where that takes minutes. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { textFinderOf } from '../../src/value/text-match/find-text.ts';

test('finds what indexOf finds', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 400 });
  const period = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
  const needles = fc
    .tuple(period, fc.integer({ min: 60, max: 120 }), fc.string({ maxLength: 2 }))
    .map(([part, count, end]) => part.repeat(count).slice(0, count) + end);
  fc.assert(
    fc.property(letters, needles, letters, fc.nat(300), (before, needle, after, from) => {
      const find = textFinderOf(needle);
      for (const text of [before + after, before + needle + after, needle + before + needle]) {
        expect(find(text, from)).toBe(text.indexOf(needle, from));
      }
    }),
    { numRuns: 2000 },
  );
});

test('a long needle that nearly matches everywhere takes no longer than another', () => {
  const part = `${'a'.repeat(2 ** 16 - 1)}b`;
  const needle = `${'a'.repeat(2 ** 15)}b${'a'.repeat(2 ** 15)}${'a'.repeat(2 ** 16)}b`;
  const text = part.repeat(64);
  expect(textFinderOf(needle)(text, 0)).toBe(-1);
  expect(textFinderOf(part.repeat(8))(text.slice(1), 0)).toBe(2 ** 16 - 1);
}, 5000);
