/** All scenarios, crashed at each effect of the act, and at each effect of the opening after it. */

import { runCrash } from './crash-run.ts';
import { type Scenario, scenarios } from './scenarios.ts';

export interface CrashTally {
  readonly scenario: string;
  readonly medium: string;
  /** Effects of the act. */
  readonly points: number;
  readonly crashes: number;
}

export interface CrashOptions {
  /** Names of scenarios; all of them when undefined. */
  readonly only?: readonly string[];
  /** Each so manieth effect of the opening; the act is crashed at every one. */
  readonly openingStride: number;
  readonly done: (tally: CrashTally) => void;
}

/** Throws an error that names scenario and effects when an oracle fails. */
export function runCrashes({ only, openingStride, done }: CrashOptions): void {
  for (const isBucket of [false, true]) {
    for (const scenario of scenarios) {
      if (only?.includes(scenario.name) === false) continue;
      const { points, crashes } = crashThrough(scenario, isBucket, openingStride);
      done({ scenario: scenario.name, medium: isBucket ? 'bucket' : 'directory', points, crashes });
    }
  }
}

function crashThrough(scenario: Scenario, isBucket: boolean, stride: number) {
  let crashes = 0;
  for (let at = 1; ; at++) {
    for (let thenAt = at % stride; ; thenAt += stride) {
      const reach = named({ scenario, isBucket, seed: at, at, thenAt });
      if (reach.act < at) return { points: at - 1, crashes };
      crashes++;
      if (reach.opening < thenAt) break;
    }
  }
}

function named(point: Parameters<typeof runCrash>[0]) {
  try {
    return runCrash(point);
  } catch (cause) {
    const { scenario, isBucket, at, thenAt } = point;
    const place = isBucket ? 'bucket' : 'directory';
    const where = `"${scenario.name}" in a ${place}, effect ${at}, then effect ${thenAt}`;
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
