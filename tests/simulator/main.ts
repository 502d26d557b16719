/** `npm run simulate`: exit code 0 when all is well, 1 when an oracle failed, 2 when it was called wrongly. */

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
  loadChanged([...smallBounds, ...planted]);
  return given.runsCrashes ? runCrashes() : simulate(given);
}

function refuse(reason: string): number {
  console.error(reason);
  return 2;
}

/** `src` is loaded here, and with it what was planted. */
async function simulate({ seeds, from, traces, plant }: Arguments): Promise<number> {
  const { runSeeds } = await import('./run-seeds.ts');
  const { summary, failure } = await runSeeds({
    seeds,
    from,
    done: (seed, { scheduler }) => {
      if (traces) console.log(`${seed} ${scheduler.traceHash.toString(16).padStart(8, '0')}`);
    },
  });
  for (const line of summary.lines()) console.log(line);
  if (failure === undefined) return 0;
  const { seed, error } = failure;
  console.log(`\nseed ${seed} failed: ${error instanceof Error ? error.message : String(error)}`);
  console.log(error);
  const again = plant === undefined ? '' : ` --plant ${plant}`;
  console.log(`again: npm run simulate -- --seeds 1 --from ${seed}${again}`);
  return 1;
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

async function runCrashes(): Promise<number> {
  const crashes = await import('./crashes/run-crashes.ts');
  let total = 0;
  try {
    crashes.runCrashes({
      openingStride: 1,
      done: (tally) => {
        total += tally.crashes;
        const { scenario, medium, points } = tally;
        const counts = `${String(points).padStart(5)} effects ${String(tally.crashes).padStart(7)} crashes`;
        console.log(`${medium.padEnd(10)} ${scenario.padEnd(26)} ${counts}`);
      },
    });
  } catch (error) {
    console.log(error);
    return 1;
  }
  console.log(`${total} crashes, each with an opening that crashed or did not: nothing lost`);
  return 0;
}
