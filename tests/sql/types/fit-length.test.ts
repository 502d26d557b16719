/** The length of texts with a limit. */

import { expect, test } from 'bun:test';
import { fitLength, sqlTypes, withModifier } from '#sql';

const three = withModifier(sqlTypes.varchar, 7);

test('a cast cuts a text, and a store refuses it', () => {
  expect(fitLength(three, 'abcd', 'cast')).toBe('abc');
  expect(() => fitLength(three, 'abcd', 'store')).toThrow(
    'value too long for type character varying(3)',
  );
});

test('a store cuts spaces at the end', () => {
  expect(fitLength(three, 'ab   ', 'store')).toBe('ab ');
});

test('characters count, not UTF-16 units', () => {
  expect(fitLength(three, '😀😀😀', 'store')).toBe('😀😀😀');
  expect(fitLength(three, '😀😀😀😀', 'cast')).toBe('😀😀😀');
});
