/** Steps of the executor at the pace of the worker. */

import { type Pending, runSteps, type Steps } from '#base';
import type { Pace } from './pace.ts';

/** What a run of entries is sorted with: there is one at a time, whose memory is bounded. */
export function sortingAt(pace: Pace) {
  return {
    pause: (rows?: number): Pending | undefined => pace.pause(rows),
    hold: () => {},
    release: () => {},
  };
}

export async function pacedSteps<T>(steps: Steps<T>): Promise<T> {
  return runSteps(steps, { wait: (pending) => pending });
}
