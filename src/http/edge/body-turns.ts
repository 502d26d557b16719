/**
 * Processes at most one large body per event-loop iteration. Otherwise many bodies that arrived together would be
 * decoded, and the first of each parsed, without a pause for other work.
 */

import type { Scheduler } from '#base';

/** A smaller body is read within one time slice, regardless of its content. */
const smallBytes = 64 * 1024;

export class BodyTurns {
  private readonly scheduler: Scheduler;
  /** Resolves when the last admitted body may be processed. */
  private last: Promise<void> = Promise.resolve();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /** Returns `undefined` for a small body. Otherwise resolves in an iteration in which no other large body is processed. */
  of(body: { readonly length: number }): Promise<void> | undefined {
    if (body.length <= smallBytes) return undefined;
    this.last = this.last.then(() => this.scheduler.yield());
    return this.last;
  }
}
