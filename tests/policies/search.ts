/** Looks for a scenario on which a way differs from the oracle, and shrinks what it finds. */

import fc from 'fast-check';
import { comparePolicies, type PolicyCoverage, type PolicyDifference } from './compare.ts';
import { compareTwins, type TwinCoverage } from './twins.ts';

const number = fc.noBias(fc.nat(0xffff));
const numbers = (least: number, most: number) =>
  fc.array(number, { minLength: least, maxLength: most, size: 'max' });

const scenario = {
  schema: numbers(20, 80),
  rows: numbers(150, 500),
  programs: fc.array(numbers(20, 240), { minLength: 2, maxLength: 10, size: 'max' }),
};
const policedScenarios = fc.record({
  ...scenario,
  policies: numbers(20, 120),
  users: fc.array(numbers(10, 20), { minLength: 1, maxLength: 3 }),
});
const twinScenarios = fc.record({ ...scenario, hidden: numbers(50, 200) });

/** Compares this many scenarios; returns a report of the smallest found that differs. */
export async function searchPolicies(
  seed: number,
  count: number,
  coverage: PolicyCoverage,
): Promise<string | undefined> {
  const ignored = { programs: 0, done: 0, violations: 0, affected: 0 };
  return search(policedScenarios, seed, count, async (numbers, isCounted) => {
    const found = await comparePolicies(numbers, isCounted ? coverage : ignored);
    return found && reportOf(found);
  });
}

/** Like `searchPolicies`, for databases that differ in hidden rows only. */
export function searchTwins(
  seed: number,
  count: number,
  coverage: TwinCoverage,
): Promise<string | undefined> {
  const ignored = { programs: 0, refused: 0 };
  return search(twinScenarios, seed, count, (numbers, isCounted) =>
    compareTwins(numbers, isCounted ? coverage : ignored),
  );
}

async function search<Numbers>(
  scenarios: fc.Arbitrary<Numbers>,
  seed: number,
  count: number,
  compare: (numbers: Numbers, isCounted: boolean) => Promise<string | undefined>,
): Promise<string | undefined> {
  let isShrinking = false;
  const property = fc.asyncProperty(scenarios, async (numbers) => {
    const found = await compare(numbers, !isShrinking);
    isShrinking ||= found !== undefined;
    return found === undefined;
  });
  const details = await fc.check(property, { seed, numRuns: count, endOnFailure: true });
  if (details.errorInstance instanceof Error && details.counterexample === null)
    throw details.errorInstance;
  const [numbers] = details.counterexample ?? [];
  if (numbers === undefined) return undefined;
  return (await compare(numbers, false)) ?? 'not found again';
}

function reportOf({ policies, claims, program, report }: PolicyDifference): string {
  return `${[policies, claims, program].map((part) => JSON.stringify(part)).join('\n\n')}\n\n${report}`;
}
