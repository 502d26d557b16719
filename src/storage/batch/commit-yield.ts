/** Limits the work of a long commit between two yields to the event loop. Concurrent readers see the previous state. */

import type { Pending, Scheduler, Steps } from '#base';

/** Number of writes, or of units of comparable work, between two yields: a few milliseconds. */
const stretchWrites = 4096;
/** Copying 2^11 bytes takes about as long as handling a write. */
const bytesShift = 11;

export class CommitYield {
  private readonly scheduler: Scheduler;
  private work = 0;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Resets the counted work at the start of a commit. */
  restart(): void {
    this.work = 0;
  }

  /** Counts one write of this many bytes, or comparable work. Returns a wait if the commit has to yield. */
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
