/** Commits that may lose races, until one has won. */

import type { TransitionHost } from './host.ts';
import type { StepOutcome } from './step.ts';

/** Lost races after which the next attempt is made while no one else commits. */
export const racesMax = 2;

export async function untilWon(
  host: TransitionHost,
  attempt: () => Promise<StepOutcome>,
): Promise<StepOutcome> {
  for (let races = 0; ; races++) {
    const outcome = await (races < racesMax ? attempt() : host.store.exclusive(attempt));
    if (outcome !== 'contended' || races > racesMax) return outcome;
  }
}
