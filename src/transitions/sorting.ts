/** Runs steps of the executor with the throttling of the worker. */

import { type Pending, runSteps, type Steps } from '#base';
import type { WorkerThrottle } from './worker-throttle.ts';

/**
 * Returns the context for sorting a run of entries. The context does not account memory: only one run exists at a time, and its memory is
 * bounded.
 */
export function sortingAt(pace: WorkerThrottle) {
  return {
    pause: (rows?: number): Pending | undefined => pace.pause(rows),
    hold: () => {},
    release: () => {},
  };
}

export async function pacedSteps<T>(steps: Steps<T>): Promise<T> {
  return runSteps(steps, { wait: (pending) => pending });
}
