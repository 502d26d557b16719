/**
 * Large bodies are taken up one a turn of the event loop: many that have arrived together would be decoded, and the first of each parsed, in one
 * stretch, which nothing else gets a word into.
 */

import type { Scheduler } from '#base';

/** What is smaller is read in the time of a slice, whatever is in it. */
const smallBytes = 64 * 1024;

export class BodyTurns {
  private readonly scheduler: Scheduler;
  /** Of the body that was let in last. */
  private last: Promise<void> = Promise.resolve();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Undefined for a small body; else resolves in a turn in which no other large one is taken up. */
  of(body: { readonly length: number }): Promise<void> | undefined {
    if (body.length <= smallBytes) return undefined;
    this.last = this.last.then(() => this.scheduler.yield());
    return this.last;
  }
}
