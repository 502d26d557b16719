/** Generated programs of users to whom policies apply. `npm run fuzz-policies` runs any number of them, with other seeds. */

import { expect, test } from 'bun:test';
import { portionOf } from '../support/portion.ts';
import { searchPolicies, searchTwins } from './search.ts';

test('the oracle, which tests each row by itself, expects the answers of every way', async () => {
  const coverage = { programs: 0, done: 0, violations: 0, affected: 0 };
  const scenarios = portionOf(24);
  const report = await searchPolicies(20_261, scenarios, coverage);
  if (report !== undefined) throw new Error(report);
  // What is generated must be worth comparing.
  expect(coverage.done).toBeGreaterThan(scenarios);
  expect(coverage.violations).toBeGreaterThan(scenarios / 10);
  expect(coverage.affected).toBeGreaterThan(scenarios);
}, 300_000);

test('twins that differ in hidden rows only give the same answers to the last byte', async () => {
  const coverage = { programs: 0, refused: 0 };
  const scenarios = portionOf(24);
  const report = await searchTwins(20_262, scenarios, coverage);
  if (report !== undefined) throw new Error(report);
  expect(coverage.programs).toBeGreaterThan(3 * scenarios);
  expect(coverage.refused).toBeGreaterThan(scenarios / 2);
}, 300_000);
