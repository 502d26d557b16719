/** A share of the simulator: what `npm run simulate` does with more seeds. */

import { expect, test } from 'bun:test';
import { runSeeds } from './run-seeds.ts';
import { Simulation } from './simulation.ts';
import { parseArguments } from './usage.ts';

test('no oracle fails', async () => {
  const { summary, failure } = await runSeeds({ from: 1, seeds: 40 });
  expect(failure).toBeUndefined();
  expect(summary.seeds).toBe(40);
}, 120_000);

test('the same seed twice leaves the same trace, another one another', () => {
  const traceOf = (seed: number): number => {
    const simulation = new Simulation(seed);
    simulation.run();
    return simulation.scheduler.traceHash;
  };
  for (const seed of [3, 8, 12]) expect(traceOf(seed)).toBe(traceOf(seed));
  expect(traceOf(3)).not.toBe(traceOf(8));
});

test('arguments that make no sense are refused', () => {
  expect(parseArguments(['--seeds', '20', '--from=7'])).toMatchObject({ seeds: 20, from: 7 });
  expect(parseArguments(['--seeds'])).toBeUndefined();
  expect(parseArguments(['--seeds', 'many'])).toBeUndefined();
  expect(parseArguments(['--unheard-of', '1'])).toBeUndefined();
});
