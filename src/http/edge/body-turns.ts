/**
 * Large bodies are read one a turn of the event loop: reading JSON cannot stop in the middle, and many bodies that have arrived together would
 * be read in one stretch, which nothing else gets a word into.
 */

import type { Scheduler } from '#base';

/** In characters. What is smaller is read in the time of a slice, whatever is in it. */
const smallLength = 64 * 1024;

export class BodyTurns {
  private readonly scheduler: Scheduler;
  /** Of the body that was let in last. */
  private last: Promise<void> = Promise.resolve();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Undefined for a small body; else resolves in a turn in which no other large one is read. */
  of(body: string): Promise<void> | undefined {
    if (body.length <= smallLength) return undefined;
    this.last = this.last.then(() => this.scheduler.yield());
    return this.last;
  }
}
