/**
 * The deadlines of all that waits, on one timer: nearly every request is over long before its own, and a timer of its own would cost it more than the
 * wait. The timer stands at the earliest deadline that was known when it was set; when it comes too early it is set again.
 */

import type { Timer, World } from '#base';

/** What ends at its deadline. */
interface Waiting {
  /** By the steady clock. */
  readonly deadlineMs: number;
  /** Called once the deadline has come. */
  late(): void;
}

export class Deadlines {
  private readonly world: World;
  private readonly waiting = new Set<Waiting>();
  private timer: Timer | undefined;
  /** When the timer comes. */
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
