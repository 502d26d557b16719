/**
 * Records failed jobs and the time of their next attempt, with exponential backoff. After eight consecutive failures, a job is not retried until
 * `release` is called.
 */

import type { Clock } from '#base';

const backOffMs = 5;
const backOffMaxMs = 1000;
/** Number of consecutive failures after which a job is given up. */
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

  /** Number of jobs that are given up. */
  get givenUp(): number {
    let count = 0;
    for (const { failures } of this.failing.values()) if (failures >= failuresMax) count++;
    return count;
  }

  /** Allows another attempt of the jobs that were given up. */
  release(): void {
    for (const [job, { notBeforeMs }] of this.failing) {
      if (notBeforeMs === Number.POSITIVE_INFINITY) this.failing.delete(job);
    }
  }

  /** Returns the time until the next job may be retried, at most `idleMs`; `idleMs` if all failing jobs are given up; undefined if no job has failed. */
  nextInMs(idleMs: number): number | undefined {
    if (this.failing.size === 0) return undefined;
    const next = Math.min(...[...this.failing.values()].map(({ notBeforeMs }) => notBeforeMs));
    return Math.min(idleMs, Math.max(0, next - this.clock.monotonicMs()));
  }
}
