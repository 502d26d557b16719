/** `--crashes`: parts of the scenarios on several processes. */

import { mediumOf } from '../crashes/run-crashes.ts';
import { scenarios } from '../crashes/scenarios.ts';
import type { Arguments } from '../usage.ts';
import { runTasks } from './pool.ts';
import { progress } from './progress.ts';
import type { Result, Task } from './task.ts';

/** Parts of one scenario. */
const lanes = 8;

interface Tally {
  done: number;
  points: number;
  crashes: number;
}

export async function runCrashesCommand(given: Arguments, jobs: number): Promise<number> {
  const names = scenarios.map(({ name }) => name);
  const chosen = names.filter((name) => given.scenario === undefined || name === given.scenario);
  if (chosen.length === 0) {
    console.error(`there is no scenario ${given.scenario}; there are: ${names.join(', ')}`);
    return 2;
  }
  const tallies = new Map<string, Tally>();
  let failures = 0;
  const total = (): number => [...tallies.values()].reduce((sum, each) => sum + each.crashes, 0);
  const shown = (): string => `${total()} crashes done, ${failures} parts of scenarios failed`;
  const { step } = progress(shown, () => {});
  const done = (result: Result): boolean => {
    if (result.kind === 'seeds') return true;
    const { scenario, isBucket } = result.commitQueue;
    if (result.kind === 'crash failure') {
      failures++;
      console.log(result.error);
      console.log(`again: npm run simulate -- --crashes --scenario "${scenario}"`);
    } else {
      const name = `${mediumOf(isBucket).padEnd(10)} ${scenario.padEnd(26)}`;
      const tally = tallies.get(name) ?? { done: 0, points: 0, crashes: 0 };
      tallies.set(name, tally);
      tally.done++;
      tally.points += result.tally.points;
      tally.crashes += result.tally.crashes;
      if (tally.done === lanes) console.log(name, counts(tally));
    }
    step();
    return true;
  };
  await runTasks(tasks(chosen), { jobs, given: [], done });
  if (failures > 0) {
    console.log(`\n${shown()}`);
    return 1;
  }
  console.log(`${total()} crashes, each with an opening that crashed or did not: nothing lost`);
  return 0;
}

function* tasks(names: readonly string[]): Generator<Task, undefined> {
  for (const isBucket of [false, true]) {
    for (const scenario of names) {
      for (let first = 1; first <= lanes; first++) {
        const commitQueue = { scenario, isBucket, first, step: lanes, openingStep: 1 };
        yield { kind: 'crashes', commitQueue };
      }
    }
  }
}

function counts({ points, crashes }: Tally): string {
  return `${String(points).padStart(5)} effects ${String(crashes).padStart(7)} crashes`;
}
