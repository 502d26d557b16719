/**
 * Requests whose work begins before admission knows them, such as programs that nobody has planned yet, and changes of the catalog: a few
 * milliseconds of a turn of the event loop are theirs, and what comes beyond goes on in later turns, in order. Many that arrive together would
 * else be parsed and planned, or refused, in one stretch, each of them shorter than a slice.
 */

import type { Clock, Scheduler } from '#base';

/** Of each turn. */
const shareMs = 5;
/** Continuations between being let in and the first stretch of work, and some more. */
const hops = 8;

export class TurnShare {
  private readonly clock: Clock;
  private readonly scheduler: Scheduler;
  private readonly waiting: (() => void)[] = [];
  /** When the first of this turn began; undefined when none has. */
  private startedMs: number | undefined;

  constructor(clock: Clock, scheduler: Scheduler) {
    this.clock = clock;
    this.scheduler = scheduler;
  }

  /** Undefined while the share of this turn is not used up; else resolves in a turn that has room. */
  enter(): Promise<void> | undefined {
    if (this.startedMs === undefined) {
      this.startedMs = this.clock.monotonicMs();
      void this.scheduler.yield().then(() => this.nextTurn());
    }
    if (this.waiting.length === 0 && this.hasRoom()) return undefined;
    return new Promise((resolve) => void this.waiting.push(resolve));
  }

  private hasRoom(): boolean {
    return this.clock.monotonicMs() - (this.startedMs as number) < shareMs;
  }

  private async nextTurn(): Promise<void> {
    if (this.waiting.length === 0) {
      this.startedMs = undefined;
      return;
    }
    this.startedMs = this.clock.monotonicMs();
    void this.scheduler.yield().then(() => this.nextTurn());
    while (this.waiting.length > 0 && this.hasRoom()) {
      this.waiting.shift()?.();
      // What was let in works up to its first wait before the clock is looked at again.
      for (let hop = 0; hop < hops; hop++) await undefined;
    }
  }
}
