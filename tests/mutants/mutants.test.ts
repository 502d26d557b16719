/** Each mutant must still fit the source; `npm run mutants` proves that it is noticed. */

import { expect, test } from 'bun:test';
import { mutants } from './mutants.ts';
import { smallBounds } from './small-bounds.ts';
import { changed } from './tree.ts';

test('at least ten', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(10);
});

for (const mutant of mutants) {
  test(mutant.name, () => {
    expect(changed(mutant)).toContain(mutant.to);
  });
}

test('small bounds', () => {
  for (const change of smallBounds) expect(changed(change)).toContain(change.to);
});
