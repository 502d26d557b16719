/**
 * Work outside of operators is written as generators that yield only what has to be waited for. The driver runs one to its end: at once
 * when nothing is pending, else as a promise.
 */

import type { Pending } from '#base';
import type { Budget } from './budget.ts';

export type Steps<T> = Generator<Pending, T, void>;

/** When the budget ends the work during a wait, the generator is told by a throw, like of a wait that failed. */
export function runSteps<T>(steps: Steps<T>, budget: Budget): T | Promise<T> {
  const step = steps.next();
  return step.done ? step.value : awaitSteps(steps, step.value, budget);
}

async function awaitSteps<T>(steps: Steps<T>, first: Pending, budget: Budget): Promise<T> {
  let pending = first;
  for (;;) {
    let step: IteratorResult<Pending, T>;
    try {
      await budget.wait(pending);
      step = steps.next();
    } catch (error) {
      step = steps.throw(error);
    }
    if (step.done) return step.value;
    pending = step.value;
  }
}
