/** Which jobs have failed, and when they may be tried again: later and later, and after eight times in a row not before somebody asks. */

import type { Clock } from '#base';

const backOffMs = 5;
const backOffMaxMs = 1000;
/** Failures in a row after which a job is left alone. */
export const failuresMax = 8;

interface Attempt {
  readonly failures: number;
  readonly notBeforeMs: number;
}

export class Attempts {
  private readonly clock: Clock;
  private readonly failing = new Map<string, Attempt>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  isDue(job: string): boolean {
    const attempt = this.failing.get(job);
    return attempt === undefined || this.clock.monotonicMs() >= attempt.notBeforeMs;
  }

  succeeded(job: string): void {
    this.failing.delete(job);
  }

  failed(job: string): void {
    const failures = (this.failing.get(job)?.failures ?? 0) + 1;
    const delayMs = Math.min(backOffMaxMs, backOffMs * 2 ** (failures - 1));
    const isGivenUp = failures >= failuresMax;
    const notBeforeMs = isGivenUp ? Number.POSITIVE_INFINITY : this.clock.monotonicMs() + delayMs;
    this.failing.set(job, { failures, notBeforeMs });
  }

  /** Jobs that are left alone. */
  get givenUp(): number {
    let count = 0;
    for (const { failures } of this.failing.values()) if (failures >= failuresMax) count++;
    return count;
  }

  /** Jobs that were given up get another chance. */
  release(): void {
    for (const [job, { notBeforeMs }] of this.failing) {
      if (notBeforeMs === Number.POSITIVE_INFINITY) this.failing.delete(job);
    }
  }

  /** When the next job may be tried again; `idleMs` when all have been given up, undefined when none has failed. */
  nextInMs(idleMs: number): number | undefined {
    if (this.failing.size === 0) return undefined;
    const next = Math.min(...[...this.failing.values()].map(({ notBeforeMs }) => notBeforeMs));
    return Math.min(idleMs, Math.max(0, next - this.clock.monotonicMs()));
  }
}
