/** Seed after seed, until one fails or all are done. */

import { Simulation } from './simulation.ts';
import { Summary } from './summary.ts';

export interface SeedFailure {
  readonly seed: number;
  readonly error: unknown;
}

export interface SeedRun {
  readonly summary: Summary;
  readonly failure: SeedFailure | undefined;
}

export interface SeedRunOptions {
  readonly from: number;
  readonly seeds: number;
  /** Told after each seed that was right. */
  readonly done?: (seed: number, simulation: Simulation) => void;
}

export async function runSeeds({ from, seeds, done }: SeedRunOptions): Promise<SeedRun> {
  const summary = new Summary();
  const stray: unknown[] = [];
  const collect = (error: unknown) => void stray.push(error);
  process.on('unhandledRejection', collect);
  try {
    for (let seed = from; seed < from + seeds; seed++) {
      const simulation = new Simulation(seed);
      const error = await outcome(simulation, stray);
      summary.add(simulation);
      if (error !== undefined) return { summary, failure: { seed, error } };
      done?.(seed, simulation);
    }
    return { summary, failure: undefined };
  } finally {
    process.off('unhandledRejection', collect);
  }
}

async function outcome(simulation: Simulation, stray: unknown[]): Promise<unknown> {
  try {
    simulation.run();
  } catch (error) {
    return error;
  }
  // Rejections that nobody takes are told between two turns.
  await new Promise((resolve) => setImmediate(resolve));
  const [first] = stray;
  if (first === undefined) return undefined;
  return new Error(`a rejection that nobody takes: ${String(first)}`, { cause: first });
}
