/**
 * Limits the number of clients without a valid token that get a response in one iteration of the event loop. The others wait for later iterations,
 * in order. Each of them holds one connection, so a flood of invalid tokens is slowed down, and other requests run in each iteration.
 */

import type { Scheduler } from '#base';

const refusalsOfTurn = 4;

export class RefusalPace {
  private readonly scheduler: Pick<Scheduler, 'yield'>;
  private readonly waiting = new Set<() => void>();
  private room = refusalsOfTurn;
  /** Whether an iteration is being counted. */
  private isCounting = false;

  constructor(scheduler: Pick<Scheduler, 'yield'>) {
    this.scheduler = scheduler;
  }

  /** Returns `undefined` if this iteration has room. Otherwise resolves in an iteration that has. */
  enter(): Promise<void> | undefined {
    this.count();
    if (this.room > 0) {
      this.room--;
      return undefined;
    }
    return new Promise((resolve) => void this.waiting.add(resolve));
  }

  private count(): void {
    if (this.isCounting) return;
    this.isCounting = true;
    this.room = refusalsOfTurn;
    void this.scheduler.yield().then(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.isCounting = false;
    if (this.waiting.size === 0) return;
    this.count();
    for (const enter of this.waiting) {
      if (this.room === 0) return;
      this.room--;
      this.waiting.delete(enter);
      enter();
    }
  }
}
