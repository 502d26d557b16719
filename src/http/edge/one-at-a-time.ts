/** Runs one piece of work at a time, in the order of the calls. */

import type { YieldPolicy } from '#base';

export class OneAtATime {
  /** Resolves when all earlier work has finished. */
  private last: Promise<void> = Promise.resolve();

  /** Runs `work` after all earlier work and returns its result. If `pace` ends the wait first, the caller leaves the queue. */
  async run<T>(work: () => T | Promise<T>, pace: Pick<YieldPolicy, 'wait'>): Promise<T> {
    const before = this.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.last = promise;
    try {
      await pace.wait(before);
    } catch (error) {
      void before.then(resolve);
      throw error;
    }
    try {
      return await work();
    } finally {
      resolve();
    }
  }
}
