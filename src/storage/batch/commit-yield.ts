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

  /** Returns whether the commit has to yield. */
  get isDue(): boolean {
    return this.work >= stretchWrites;
  }

  /** Counts one write of this many bytes, or comparable work. */
  count(bytes: number): void {
    this.work += 1 + (bytes >>> bytesShift);
  }

  /** Returns a wait if the commit has to yield. */
  pause(): Pending | undefined {
    if (!this.isDue) return undefined;
    this.work = 0;
    return this.scheduler.yield();
  }

  /** Counts like `count`, and returns a wait like `pause`. */
  after(bytes: number): Pending | undefined {
    this.count(bytes);
    return this.pause();
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
