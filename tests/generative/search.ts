/** Looks for a scenario on which two ways differ, and shrinks what it finds. */

import fc from 'fast-check';
import { compareScenario, type Difference, type Run } from './compare.ts';
import { generateScenario, type ScenarioNumbers } from './program.ts';

const number = fc.noBias(fc.nat(0xffff));
const numbers = (least: number, most: number) =>
  fc.array(number, { minLength: least, maxLength: most, size: 'max' });

const scenarios: fc.Arbitrary<ScenarioNumbers> = fc.record({
  schema: numbers(20, 80),
  rows: numbers(150, 500),
  programs: fc.array(numbers(20, 240), { minLength: 1, maxLength: 8, size: 'max' }),
});

export interface Found {
  readonly scenario: ScenarioNumbers;
  readonly difference: Difference;
}

/** Compares this many scenarios; the smallest found that differs, or undefined. */
export async function search(
  seed: number,
  count: number,
  seen: (run: Run) => void,
  shrinks = true,
): Promise<Found | undefined> {
  let isShrinking = false;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const found = await differenceOf(scenario, isShrinking ? undefined : seen);
    isShrinking ||= found !== undefined;
    return found === undefined;
  });
  const details = await fc.check(property, {
    seed,
    numRuns: count,
    endOnFailure: !shrinks,
    interruptAfterTimeLimit: 3_600_000,
  });
  if (details.errorInstance instanceof Error && details.counterexample === null)
    throw details.errorInstance;
  const [scenario] = details.counterexample ?? [];
  if (scenario === undefined) return undefined;
  const difference = await differenceOf(scenario);
  return difference === undefined ? undefined : { scenario, difference };
}

export function differenceOf(
  scenario: ScenarioNumbers,
  seen?: (run: Run) => void,
): Promise<Difference | undefined> {
  return compareScenario(generateScenario(scenario), 'direct', seen);
}
