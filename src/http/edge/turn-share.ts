/**
 * Limits the work that begins before admission: programs without a cached plan, and catalog changes. Each event-loop
 * iteration spends a few milliseconds on them, and the rest waits in order for later iterations. Otherwise many requests
 * that arrive together would be parsed and planned, or refused, without a pause, although each of them takes less than a
 * time slice.
 */

import type { Clock, Scheduler } from '#base';
import type { RequestContext } from '#engine';

/** Time per iteration. */
const shareMs = 5;
/** Upper bound on the microtasks between admission to the iteration and the first piece of work. */
const hops = 12;

export class TurnShare {
  private readonly clock: Clock;
  private readonly scheduler: Scheduler;
  private readonly told: (waiting: number) => void;
  /** The waiting requests, in the order of their arrival. */
  private readonly waiting = new Set<() => void>();
  /** The start of the first work of this iteration, or `undefined` if there was none. */
  private startedMs: number | undefined;

  /** `told` is called with the number of waiting requests whenever it changes. */
  constructor(clock: Clock, scheduler: Scheduler, told: (waiting: number) => void) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.told = told;
  }

  /**
   * Returns `undefined` if this iteration has time left. Otherwise resolves in an iteration that has. Rejects and leaves
   * the queue if the budget ends first: the client has disconnected, or the deadline has passed.
   */
  enter(budget: Pick<RequestContext['budget'], 'onEnd' | 'until'>): Promise<void> | undefined {
    if (this.startedMs === undefined) {
      this.startedMs = this.clock.monotonicMs();
      void this.scheduler.yield().then(() => this.nextTurn());
    }
    if (this.waiting.size === 0 && this.hasRoom()) return undefined;
    return this.wait(budget);
  }

  private async wait(budget: Pick<RequestContext['budget'], 'onEnd' | 'until'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    this.told(this.waiting.size);
    const forget = budget.onEnd(() => this.leave(resolve));
    try {
      await budget.until(promise);
    } finally {
      forget();
    }
  }

  private leave(place: () => void): void {
    if (this.waiting.delete(place)) this.told(this.waiting.size);
  }

  private hasRoom(): boolean {
    return this.clock.monotonicMs() - (this.startedMs as number) < shareMs;
  }

  private async nextTurn(): Promise<void> {
    if (this.waiting.size === 0) {
      this.startedMs = undefined;
      return;
    }
    this.startedMs = this.clock.monotonicMs();
    void this.scheduler.yield().then(() => this.nextTurn());
    for (const enter of this.waiting) {
      if (!this.hasRoom()) return;
      this.leave(enter);
      enter();
      // The admitted request runs up to its first wait before the clock is checked again.
      for (let hop = 0; hop < hops; hop++) await undefined;
    }
  }
}
