/** Generated programs of a user on two databases that differ only in rows that the user does not see. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { portionOf } from '../support/portion.ts';
import { compareTwins } from './http-twins.ts';

const number = fc.noBias(fc.nat(0xffff));
const numbers = (least: number, most: number) =>
  fc.array(number, { minLength: least, maxLength: most, size: 'max' });

const scenarios = fc.record({
  schema: numbers(20, 80),
  rows: numbers(150, 500),
  programs: fc.array(numbers(20, 240), { minLength: 4, maxLength: 12, size: 'max' }),
  policies: numbers(20, 120),
  hidden: numbers(150, 500),
  users: numbers(10, 20),
});

const seed = Number(process.env.FUZZ_SEED ?? 4242);
const runs = Number(process.env.FUZZ_RUNS ?? portionOf(24));

test('a user cannot tell the databases apart', async () => {
  const coverage = { programs: 0, done: 0, hidden: 0 };
  let report: string | undefined;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    report = await compareTwins(scenario, coverage);
    return report === undefined;
  });
  await fc.check(property, { seed, numRuns: runs, endOnFailure: true });
  expect(report).toBeUndefined();
  expect(coverage.programs).toBeGreaterThan(runs);
  expect(coverage.done).toBeGreaterThan(runs / 2);
  expect(coverage.hidden).toBeGreaterThan(runs);
});
