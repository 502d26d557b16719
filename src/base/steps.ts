/**
 * Long work as generators that yield only waits. A driver runs a generator until it returns, and passes on its result: directly if nothing
 * had to be waited for, otherwise as a promise.
 */

import { invariant } from './invariant.ts';
import type { Pending } from './world.ts';

export type Steps<T> = Generator<Pending, T, void>;

/** Decides how long work may occupy the thread: the budget of a request, or `neverYield`. */
export interface YieldPolicy {
  /**
   * Called before about `rows` units of work; Infinity for a stage of unknown length. Returns a wait if other work should run first. Throws
   * if the work must end.
   */
  pause(rows: number): Pending | undefined;
  /** Returns the result of `pending`; rejects if the work must end before it is available. */
  wait<T>(pending: Promise<T>): Promise<T>;
}

/** The policy that never yields and never ends the work. */
export const neverYield: YieldPolicy = { pause: () => undefined, wait: (pending) => pending };

/** Runs the steps. If the policy ends the work during a wait, or if a wait fails, the generator receives the error as a throw. */
export function runSteps<T>(steps: Steps<T>, pace: Pick<YieldPolicy, 'wait'>): T | Promise<T> {
  const step = steps.next();
  return step.done ? step.value : awaitSteps(steps, step.value, pace);
}

/** Returns the result of steps that never wait, because their policy is `neverYield`. */
export function runWithoutWaiting<T>(steps: Steps<T>): T {
  const step = steps.next();
  invariant(step.done === true, 'work that never yields does not wait');
  return step.value;
}

async function awaitSteps<T>(
  steps: Steps<T>,
  first: Pending,
  pace: Pick<YieldPolicy, 'wait'>,
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
