/**
 * Requests whose work begins before admission knows them, such as programs that nobody has planned yet, and changes of the catalog: a few
 * milliseconds of a turn of the event loop are theirs, and what comes beyond goes on in later turns, in order. Many that arrive together would
 * else be parsed and planned, or refused, in one stretch, each of them shorter than a slice.
 */

import type { Clock, Scheduler } from '#base';
import type { Ticket } from '#engine';

/** Of each turn. */
const shareMs = 5;
/** Continuations between being let in and the first stretch of work, and some more. */
const hops = 12;

export class TurnShare {
  private readonly clock: Clock;
  private readonly scheduler: Scheduler;
  private readonly told: (waiting: number) => void;
  /** In the order in which they came. */
  private readonly waiting = new Set<() => void>();
  /** When the first of this turn began; undefined when none has. */
  private startedMs: number | undefined;

  /** `told` hears how many wait, whenever that changes. */
  constructor(clock: Clock, scheduler: Scheduler, told: (waiting: number) => void) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.told = told;
  }

  /**
   * Undefined while the share of this turn is not used up; else resolves in a turn that has room. Rejects, the place given up, when the budget ends before:
   * its client has gone, or the deadline has come.
   */
  enter(budget: Pick<Ticket['budget'], 'onEnd' | 'until'>): Promise<void> | undefined {
    if (this.startedMs === undefined) {
      this.startedMs = this.clock.monotonicMs();
      void this.scheduler.yield().then(() => this.nextTurn());
    }
    if (this.waiting.size === 0 && this.hasRoom()) return undefined;
    return this.wait(budget);
  }

  private async wait(budget: Pick<Ticket['budget'], 'onEnd' | 'until'>): Promise<void> {
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
      // What was let in works up to its first wait before the clock is looked at again.
      for (let hop = 0; hop < hops; hop++) await undefined;
    }
  }
}
