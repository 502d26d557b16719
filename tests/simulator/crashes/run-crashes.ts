/** All scenarios, crashed at each effect of the act, and at each effect of the opening after it. */

import { type CrashPoint, runCrash } from './crash-run.ts';
import { scenarioNamed } from './scenarios.ts';

/** Some of the effects of one scenario: enough for one process for a while. */
export interface CrashLane {
  readonly scenario: string;
  readonly isBucket: boolean;
  /** The first effect of the act that is the last one, and how many it is to the next. */
  readonly first: number;
  readonly step: number;
  /** Each so manieth effect of the opening; 1 for all of them. */
  readonly openingStep: number;
}

export interface CrashTally {
  /** Effects of the act. */
  readonly points: number;
  readonly crashes: number;
}

/** Throws an error that names scenario and effects when an oracle fails. */
export function crashLane(commitQueue: CrashLane): CrashTally {
  const { isBucket, first, step, openingStep } = commitQueue;
  const scenario = scenarioNamed(commitQueue.scenario);
  if (scenario === undefined) throw new Error(`there is no scenario ${commitQueue.scenario}`);
  let points = 0;
  let crashes = 0;
  for (let at = first; ; at += step) {
    for (let thenAt = at % openingStep; ; thenAt += openingStep) {
      const reach = named({ scenario, isBucket, seed: at, at, thenAt });
      if (reach.act < at) return { points, crashes };
      crashes++;
      if (reach.opening < thenAt) break;
    }
    points++;
  }
}

function named(point: CrashPoint) {
  try {
    return runCrash(point);
  } catch (cause) {
    const { scenario, isBucket, at, thenAt } = point;
    const where = `"${scenario.name}" in a ${mediumOf(isBucket)}, effect ${at}, then effect ${thenAt}`;
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

export function mediumOf(isBucket: boolean): string {
  return isBucket ? 'bucket' : 'directory';
}
