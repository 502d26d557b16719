/** The trace of the foreign-key checks of a statement: one entry for all lookups of a foreign key. */

import { expect, test } from 'bun:test';
import { ReferenceTrace } from '../../src/executor/trace/reference-trace.ts';

const key = {
  table: 'post',
  foreignKey: { id: 1 },
  accessPath: 'primary_key',
  wanted: 'referenced',
} as never;

type Lookup = readonly [matchFound: boolean, hasRefused: boolean];

function checkOf(...lookups: readonly Lookup[]) {
  const trace = new ReferenceTrace({ monotonicMs: () => 0 } as never, { gets: 0, iterated: 0 });
  for (const [matchFound, hasRefused] of lookups) trace.begin(key).end(matchFound, hasRefused);
  const [check] = trace.checks;
  return { matchFound: check?.matchFound, hasRefused: check?.hasRefused };
}

test.each<[string, readonly Lookup[], boolean, boolean]>([
  ['a row was found by the first lookup', [[true, false]], true, false],
  ['no row was found', [[false, false]], false, false],
  [
    'the first keys are NULL, and later ones have rows',
    [
      [false, false],
      [true, false],
    ],
    true,
    false,
  ],
  [
    'later keys are NULL',
    [
      [true, false],
      [false, false],
    ],
    true,
    false,
  ],
  [
    'a missing row makes the statement fail',
    [
      [true, false],
      [false, true],
    ],
    false,
    true,
  ],
  [
    'a lookup after the failure changes nothing',
    [
      [false, true],
      [true, false],
    ],
    false,
    true,
  ],
])('%s', (_, lookups, matchFound, hasRefused) => {
  expect(checkOf(...lookups)).toEqual({ matchFound, hasRefused });
});
