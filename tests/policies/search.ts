/** Looks for a scenario on which a way differs from the oracle, and shrinks what it finds. */

import fc from 'fast-check';
import { comparePolicies, type PolicyCoverage, type PolicyDifference } from './compare.ts';

const number = fc.noBias(fc.nat(0xffff));
const numbers = (least: number, most: number) =>
  fc.array(number, { minLength: least, maxLength: most, size: 'max' });

const scenarios = fc.record({
  schema: numbers(20, 80),
  rows: numbers(150, 500),
  programs: fc.array(numbers(20, 240), { minLength: 2, maxLength: 10, size: 'max' }),
  policies: numbers(20, 120),
  users: fc.array(numbers(10, 20), { minLength: 1, maxLength: 3 }),
});

/** Compares this many scenarios; returns a report of the smallest found that differs. */
export async function searchPolicies(
  seed: number,
  count: number,
  coverage: PolicyCoverage,
): Promise<string | undefined> {
  let isShrinking = false;
  const ignored = { programs: 0, done: 0, violations: 0, affected: 0 };
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const found = await comparePolicies(scenario, isShrinking ? ignored : coverage);
    isShrinking ||= found !== undefined;
    return found === undefined;
  });
  const details = await fc.check(property, { seed, numRuns: count });
  if (details.errorInstance instanceof Error && details.counterexample === null)
    throw details.errorInstance;
  const [scenario] = details.counterexample ?? [];
  if (scenario === undefined) return undefined;
  const found = await comparePolicies(scenario, ignored);
  return found === undefined ? 'not found again' : reportOf(found);
}

function reportOf({ policies, claims, program, report }: PolicyDifference): string {
  return `${[policies, claims, program].map((part) => JSON.stringify(part)).join('\n\n')}\n\n${report}`;
}
