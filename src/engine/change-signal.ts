/** Lets callers wait for an event or for a time limit. */

import type { Scheduler } from '#base';

export class ChangeSignal {
  private readonly scheduler: Scheduler;
  private readonly waiting = new Set<() => void>();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Resumes all waiting callers after the event. */
  notify(): void {
    for (const resume of [...this.waiting]) resume();
  }

  /** Registers a wait that begins now, so that no event is missed between a check and the wait. */
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
  /** Resolves after the event, or after the time. */
  within(ms: number): Promise<void>;
  forget(): void;
}
