/** Seed after seed, and what they did. */

import { Simulation } from './simulation.ts';
import { Summary, type SummaryData } from './summary.ts';

export interface SeedRange {
  readonly from: number;
  readonly seeds: number;
  /** After so many no further seed is begun. */
  readonly failuresMax: number;
}

export interface SeedFailure {
  readonly seed: number;
  readonly message: string;
  /** With its stack and its causes. */
  readonly detail: string;
}

/** Plain data. */
export interface SeedRun {
  readonly summary: SummaryData;
  readonly failures: readonly SeedFailure[];
  readonly traces: readonly (readonly [seed: number, hash: number])[];
}

export async function runSeeds({ from, seeds, failuresMax }: SeedRange): Promise<SeedRun> {
  const summary = new Summary();
  const failures: SeedFailure[] = [];
  const traces: [number, number][] = [];
  const stray: unknown[] = [];
  const collect = (error: unknown) => void stray.push(error);
  process.on('unhandledRejection', collect);
  try {
    for (let seed = from; seed < from + seeds && failures.length < failuresMax; seed++) {
      const simulation = new Simulation(seed);
      const error = await outcome(simulation, stray);
      summary.add(seed, simulation);
      if (error === undefined) traces.push([seed, simulation.scheduler.traceHash]);
      else failures.push(failureOf(seed, error));
    }
    return { summary: summary.data(), failures, traces };
  } finally {
    process.off('unhandledRejection', collect);
  }
}

async function outcome(simulation: Simulation, stray: unknown[]): Promise<unknown> {
  let failure: unknown;
  try {
    simulation.run();
  } catch (error) {
    failure = error;
  }
  // Rejections that nobody takes are told between two turns.
  await new Promise((resolve) => setImmediate(resolve));
  const [first] = stray.splice(0);
  if (failure !== undefined || first === undefined) return failure;
  return new Error(`a rejection that nobody takes: ${String(first)}`, { cause: first });
}

function failureOf(seed: number, error: unknown): SeedFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { seed, message, detail: Bun.inspect(error) };
}
