/** How much of a long commit is done in one go: the event loop turns in between, and who reads meanwhile sees the state before. */

import type { Pending, Scheduler, Steps } from '#base';

/** Writes, or what takes as long, between two turns of the event loop: a few milliseconds. */
const stretchWrites = 4096;
/** Copying 2^11 bytes takes about as long as handling a write. */
const bytesShift = 11;

export class Stretch {
  private readonly scheduler: Scheduler;
  private work = 0;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Another commit begins. */
  restart(): void {
    this.work = 0;
  }

  /** After each write, or what costs as much, of so many bytes: a wait when the stretch is at its end. */
  after(bytes: number): Pending | undefined {
    this.work += 1 + (bytes >>> bytesShift);
    if (this.work < stretchWrites) return undefined;
    this.work = 0;
    return this.scheduler.yield();
  }
}

/** Awaits `first` and each later wait, and returns the result of the steps. */
export async function resumeSteps<T>(steps: Steps<T>, first: Pending): Promise<T> {
  let pending = first;
  for (;;) {
    await pending;
    const step = steps.next();
    if (step.done) return step.value;
    pending = step.value;
  }
}
