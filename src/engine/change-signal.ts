/** Waiting for something to happen, or for a time to pass. */

import type { Scheduler } from '#base';

export class ChangeSignal {
  private readonly scheduler: Scheduler;
  private readonly waiting = new Set<() => void>();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** The change has happened: all who wait for it go on. */
  notify(): void {
    for (const resume of [...this.waiting]) resume();
  }

  /** A wait that begins now, so that nothing is missed between a look and the wait. */
  next(): NextChange {
    const { promise, resolve } = Promise.withResolvers<void>();
    const resume = () => {
      this.waiting.delete(resume);
      resolve();
    };
    this.waiting.add(resume);
    const within = async (ms: number) => {
      const timer = this.scheduler.after(ms, resume);
      await promise;
      timer.cancel();
    };
    return { within, forget: resume };
  }
}

interface NextChange {
  /** Resolves when it has happened, or after a time. */
  within(ms: number): Promise<void>;
  forget(): void;
}
