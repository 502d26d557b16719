/**
 * Work that may be long is written as generators that yield only what has to be waited for. A driver runs one to its end: at once when nothing is
 * pending, else as a promise.
 */

import { invariant } from './invariant.ts';
import type { Pending } from './world.ts';

export type Steps<T> = Generator<Pending, T, void>;

/** How long work may hold the thread: the budget of a request, or `unpaced`. */
export interface Pace {
  /**
   * Called before some `rows` pieces of work, Infinity for a stage of unknown length: a wait when others have their turn first. Throws when the work is to
   * end.
   */
  pause(rows: number): Pending | undefined;
  /** What `pending` gives; rejects when the work has to end before. */
  wait<T>(pending: Promise<T>): Promise<T>;
}

/** Never gives way. */
export const unpaced: Pace = { pause: () => undefined, wait: (pending) => pending };

/** When the pace ends the work during a wait, the generator is told by a throw, like of a wait that failed. */
export function runSteps<T>(steps: Steps<T>, pace: Pick<Pace, 'wait'>): T | Promise<T> {
  const step = steps.next();
  return step.done ? step.value : awaitSteps(steps, step.value, pace);
}

/** The result of steps that have nothing to wait for: their pace is `unpaced`. */
export function finishSteps<T>(steps: Steps<T>): T {
  const step = steps.next();
  invariant(step.done === true, 'work without a pace waits for nothing');
  return step.value;
}

async function awaitSteps<T>(
  steps: Steps<T>,
  first: Pending,
  pace: Pick<Pace, 'wait'>,
): Promise<T> {
  let pending = first;
  for (;;) {
    let step: IteratorResult<Pending, T>;
    try {
      await pace.wait(pending);
      step = steps.next();
    } catch (error) {
      step = steps.throw(error);
    }
    if (step.done) return step.value;
    pending = step.value;
  }
}
