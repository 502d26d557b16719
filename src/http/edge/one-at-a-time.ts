/** Work of which only one piece is under way at a time, in the order in which it came. */

import type { Pace } from '#base';

export class OneAtATime {
  /** Resolves when everything that came before is over. */
  private last: Promise<void> = Promise.resolve();

  /** What `work` gives. When `pace` ends the wait for others, the place in the line is given up. */
  async run<T>(work: () => T | Promise<T>, pace: Pick<Pace, 'wait'>): Promise<T> {
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
