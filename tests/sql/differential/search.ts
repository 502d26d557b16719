/** Searches for a scenario whose outcome differs, and reduces it. */

import fc from 'fast-check';
import { type Difference, runScenario, type ScenarioNumbers, Tally } from './scenario.ts';
import type { Side } from './sides.ts';

const statementsPerScenario = 12;
const number = fc.noBias(fc.nat(0xffff));
const numbers = (most: number) => fc.array(number, { minLength: 0, maxLength: most, size: 'max' });
const full = (count: number) =>
  fc.array(number, { minLength: count, maxLength: count, size: 'max' });

const scenarios: fc.Arbitrary<ScenarioNumbers> = fc.record({
  rows: full(320),
  statements: fc.array(numbers(240), {
    minLength: statementsPerScenario,
    maxLength: statementsPerScenario,
    size: 'max',
  }),
});

/** Runs about this many statements; the smallest difference that was found, or `undefined`. */
export async function search(
  seed: number,
  statements: number,
  svc: Side,
  postgres: Side,
  tally: Tally,
): Promise<Difference | undefined> {
  let found: ScenarioNumbers | undefined;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const difference = await runScenario(
      scenario,
      svc,
      postgres,
      found === undefined ? tally : new Tally(),
    );
    found ??= difference === undefined ? undefined : scenario;
    return difference === undefined;
  });
  const numRuns = Math.ceil(statements / statementsPerScenario);
  const details = await fc.check(property, { seed, numRuns, endOnFailure: true });
  if (details.errorInstance instanceof Error && found === undefined) throw details.errorInstance;
  return found === undefined ? undefined : reduce(found, svc, postgres);
}

/** Leaves out statements, then numbers, as long as the same statement kind still differs. */
async function reduce(
  first: ScenarioNumbers,
  svc: Side,
  postgres: Side,
): Promise<Difference | undefined> {
  const differs = (scenario: ScenarioNumbers) => runScenario(scenario, svc, postgres, new Tally());
  let best = first;
  let difference = await differs(best);
  let attempts = attemptsMax;
  const accept = async (candidate: ScenarioNumbers) => {
    if (attempts-- <= 0) return false;
    const found = await differs(candidate);
    if (found === undefined) return false;
    best = candidate;
    difference = found;
    return true;
  };
  const count = (difference?.before.length ?? 0) + 1;
  for (const last of best.statements.slice().reverse())
    if (await accept({ ...best, statements: [last] })) break;
  for (let i = best.statements.length - 1; i >= 0 && count > 1; i--)
    await accept({ ...best, statements: best.statements.toSpliced(i, 1) });
  for (let i = 0; i < best.statements.length; i++)
    await reduceNumbers(best.statements[i] ?? [], (list) =>
      accept({ ...best, statements: best.statements.with(i, list) }),
    );
  return difference;
}

const attemptsMax = 400;

/** Zero is the simplest choice: spans of numbers become zero or go away, from long spans to single numbers. */
async function reduceNumbers(
  first: readonly number[],
  accept: (list: readonly number[]) => Promise<boolean>,
): Promise<void> {
  let best = first;
  for (let size = best.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length; at += size) {
      const without = best.toSpliced(at, size);
      if (await accept(without)) {
        best = without;
        at -= size;
        continue;
      }
      const zeros = best.map((value, i) => (i >= at && i < at + size ? 0 : value));
      if (zeros.some((value, i) => value !== best[i]) && (await accept(zeros))) best = zeros;
    }
  }
}
