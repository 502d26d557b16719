/** Retries a commit that conflicts with others until it succeeds. */

import type { TransitionHost } from './host.ts';
import type { StepOutcome } from './step.ts';

/** Number of conflicts after which the next attempt has an exclusive commit. */
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
