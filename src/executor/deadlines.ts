/**
 * The deadlines of all waiting requests, on one timer. Nearly every request ends long before its deadline, and its own timer would cost more than
 * the wait. The timer is set to the earliest deadline at that time. If it fires and no deadline has passed, it is set again.
 */

import type { Timer, World } from '#base';

/** A request that ends at its deadline. */
interface Waiting {
  /** Deadline by the monotonic clock. */
  readonly deadlineMs: number;
  /** Is called once the deadline has passed. */
  late(): void;
}

export class Deadlines {
  private readonly world: World;
  private readonly waiting = new Set<Waiting>();
  private timer: Timer | undefined;
  /** Time at which the timer fires. */
  private dueMs = Number.POSITIVE_INFINITY;

  constructor(world: World) {
    this.world = world;
  }

  add(one: Waiting): void {
    this.waiting.add(one);
    if (one.deadlineMs < this.dueMs) this.set(one.deadlineMs);
  }

  delete(one: Waiting): void {
    this.waiting.delete(one);
  }

  private set(dueMs: number): void {
    this.timer?.cancel();
    this.dueMs = dueMs;
    const leftMs = Math.max(0, dueMs - this.world.clock.monotonicMs());
    this.timer = this.world.scheduler.after(leftMs, () => this.look());
  }

  private look(): void {
    this.timer = undefined;
    this.dueMs = Number.POSITIVE_INFINITY;
    const now = this.world.clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const one of [...this.waiting]) {
      if (one.deadlineMs > now) nextMs = Math.min(nextMs, one.deadlineMs);
      else {
        this.waiting.delete(one);
        one.late();
      }
    }
    if (nextMs < this.dueMs) this.set(nextMs);
  }
}
