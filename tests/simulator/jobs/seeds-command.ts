/** `--seeds`: parts of the seeds on several processes, and one summary of all. */

import { Summary } from '../summary.ts';
import type { Arguments } from '../usage.ts';
import { runTasks } from './pool.ts';
import { progress } from './progress.ts';
import type { Result, Task } from './task.ts';

/** Enough to keep a process busy for about a second. */
const seedsPerTask = 10;
/** So many failures tell enough. A plant needs to be found once. */
const failuresMax = 10;

export async function runSeedsCommand(given: Arguments, jobs: number): Promise<number> {
  const { seeds, from, traces, plant } = given;
  const planted = plant === undefined ? [] : ['--plant', plant];
  const enough = plant === undefined ? failuresMax : 1;
  const again = planted.map((word) => ` ${word}`).join('');
  const summary = new Summary();
  const failed: number[] = [];
  const shown = (): string => `${summary.seeds} of ${seeds} seeds done, ${failed.length} failed`;
  const print = (): void => {
    for (const line of summary.lines()) console.log(line);
  };
  const { step } = progress(shown, print);
  const done = (result: Result): boolean => {
    if (result.kind !== 'seeds') return true;
    summary.merge(result.run.summary);
    if (traces) for (const [seed, hash] of result.run.traces) console.log(traceLine(seed, hash));
    for (const { seed, message, detail } of result.run.failures) {
      failed.push(seed);
      console.log(`\nseed ${seed} failed: ${message}\n${detail}`);
      console.log(`again: npm run simulate -- --seeds 1 --from ${seed}${again}\n`);
    }
    step();
    return failed.length < enough;
  };
  await runTasks(parts(from, seeds, enough), {
    jobs: Math.min(jobs, Math.ceil(seeds / seedsPerTask)),
    given: planted,
    done,
  });
  print();
  if (failed.length === 0) return 0;
  console.log(`\n${failed.length} of ${summary.seeds} seeds failed: ${failed.join(', ')}`);
  return 1;
}

function* parts(from: number, seeds: number, failuresMax: number): Generator<Task, undefined> {
  for (let first = from; first < from + seeds; first += seedsPerTask) {
    const count = Math.min(seedsPerTask, from + seeds - first);
    yield { kind: 'seeds', range: { from: first, seeds: count, failuresMax } };
  }
}

function traceLine(seed: number, hash: number): string {
  return `${seed} ${hash.toString(16).padStart(8, '0')}`;
}
