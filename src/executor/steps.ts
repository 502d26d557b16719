/**
 * Work outside of operators is written as generators that yield only what has to be waited for. The driver runs one to its end: at once
 * when nothing is pending, else as a promise.
 */

import type { Pending } from '#base';

export type Steps<T> = Generator<Pending, T, void>;

export function runSteps<T>(steps: Steps<T>): T | Promise<T> {
  const step = steps.next();
  return step.done ? step.value : awaitSteps(steps, step.value);
}

async function awaitSteps<T>(steps: Steps<T>, first: Pending): Promise<T> {
  let pending = first;
  for (;;) {
    let step: IteratorResult<Pending, T>;
    try {
      await pending;
      step = steps.next();
    } catch (error) {
      step = steps.throw(error);
    }
    if (step.done) return step.value;
    pending = step.value;
  }
}
