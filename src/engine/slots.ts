/** Bounds how many programs execute at once; the rest wait in line, and too long a line is refused. */

import { fail } from '#failure';

export class ExecutionSlots {
  private free: number;
  private readonly queueMax: number;
  private readonly waiting: (() => void)[] = [];

  constructor(concurrency: number, queueMax: number) {
    this.free = concurrency;
    this.queueMax = queueMax;
  }

  /** Undefined when a slot was free and is taken now, else resolves once one has been taken. */
  acquire(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free--;
      return undefined;
    }
    if (this.waiting.length >= this.queueMax) {
      throw fail('overloaded', `${this.queueMax} programs are waiting already; try again later`, {
        retryAfterSeconds: 1,
      });
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Gives a slot back: to the first that waits, in order of arrival. */
  release(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }
}
