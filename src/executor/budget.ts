/** The time of a program: it gives way to other requests every few milliseconds, and ends at its deadline. */

import type { Pending, World } from '#base';
import { fail } from '#failure';

/** Longest stretch of work between two turns of the event loop. */
const sliceMs = 5;
/** Rows of work between two looks at the clock. */
const lookEvery = 1024;

export class Budget {
  private readonly world: World;
  private readonly timeoutMs: number;
  private readonly deadlineMs: number;
  private sliceEndsMs: number;
  private work = 0;

  /** `timeoutMs` 0: no deadline. */
  constructor(world: World, timeoutMs: number) {
    const now = world.clock.monotonicMs();
    this.world = world;
    this.timeoutMs = timeoutMs;
    this.deadlineMs = timeoutMs > 0 ? now + timeoutMs : Number.POSITIVE_INFINITY;
    this.sliceEndsMs = now + sliceMs;
  }

  /** Called before working on some `rows` rows: a wait when the slice is used up, after which the same work is asked for again. */
  pause(rows: number): Pending | undefined {
    this.work += rows;
    if (this.work < lookEvery) return undefined;
    this.work = 0;
    return this.look();
  }

  private look(): Pending | undefined {
    const now = this.world.clock.monotonicMs();
    if (now > this.deadlineMs) {
      throw fail('deadline_exceeded', `the program ran longer than ${this.timeoutMs} ms`);
    }
    if (now < this.sliceEndsMs) return undefined;
    return this.world.scheduler.yield().then(() => {
      this.sliceEndsMs = this.world.clock.monotonicMs() + sliceMs;
    });
  }
}
