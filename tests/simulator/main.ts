/** `npm run simulate`: exit code 0 when all is well, 1 when an oracle failed, 2 when it was called wrongly. */

import { smallBounds } from './plants/bounds.ts';
import { loadChanged } from './plants/load.ts';
import { type Arguments, parseArguments, usage } from './usage.ts';

const given = parseArguments(process.argv.slice(2));
if (given === undefined) {
  console.error(usage);
  process.exit(2);
}
process.exit(await simulate(given));

async function simulate({ seeds, from, traces }: Arguments): Promise<number> {
  loadChanged(smallBounds);
  const { runSeeds } = await import('./run-seeds.ts');
  const { summary, failure } = await runSeeds({
    seeds,
    from,
    done: (seed, { scheduler }) => {
      if (traces) console.log(`${seed} ${scheduler.traceHash.toString(16).padStart(8, '0')}`);
    },
  });
  for (const line of summary.lines(0)) console.log(line);
  if (failure === undefined) return 0;
  console.log(`\nseed ${failure.seed} failed:`, failure.error);
  console.log(`again: npm run simulate -- --seeds 1 --from ${failure.seed}`);
  return 1;
}
