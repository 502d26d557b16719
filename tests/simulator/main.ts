/** `npm run simulate`: exit code 0 when all is well, 1 when an oracle failed, 2 when it was called wrongly. */

import { availableParallelism } from 'node:os';
import { cheaper } from './cheap.ts';
import { work } from './jobs/worker.ts';
import { smallBounds } from './plants/bounds.ts';
import { huntAll } from './plants/hunt.ts';
import { loadChanged } from './plants/load.ts';
import { plants } from './plants/plants.ts';
import { type Arguments, parseArguments, usage } from './usage.ts';

const given = parseArguments(process.argv.slice(2));
process.exit(given === undefined ? refuse(usage) : await run(given));

async function run(given: Arguments): Promise<number> {
  if (given.listsPlants) {
    for (const { name } of plants) console.log(name);
    return 0;
  }
  if (given.runsPlants) return runPlants(given.seeds);
  const planted = plants.filter(({ name }) => name === given.plant);
  if (given.plant !== undefined && planted.length === 0) {
    return refuse(`there is no plant ${given.plant}; --list-plants names them`);
  }
  loadChanged([...smallBounds, ...cheaper, ...planted]);
  if (given.isWorker) return work();
  // A known bug is found early; how early is what one wants to know.
  const jobs = given.jobs ?? (given.plant === undefined ? availableParallelism() : 1);
  // `src` is loaded from here on, and with it what was planted.
  if (given.runsCrashes) {
    return (await import('./jobs/crashes-command.ts')).runCrashesCommand(given, jobs);
  }
  return (await import('./jobs/seeds-command.ts')).runSeedsCommand(given, jobs);
}

function refuse(reason: string): number {
  console.error(reason);
  return 2;
}

async function runPlants(seedsMax: number): Promise<number> {
  let missed = 0;
  await huntAll(seedsMax, ({ name, seeds, finding }) => {
    if (seeds === undefined) missed++;
    const verdict = seeds === undefined ? 'NOT FOUND' : `found after ${seeds} seeds: ${finding}`;
    console.log(`${name.padEnd(40)} ${verdict}`);
  });
  console.log(`\n${plants.length - missed} of ${plants.length} known bugs found`);
  return missed === 0 ? 0 : 1;
}
