/** Requests per second of each principal. The least recently used principals are forgotten. */

import { Bucket } from './rate.ts';

const principalsMax = 10_000;

export class PrincipalRates {
  private readonly known = new Map<string, Bucket>();

  get size(): number {
    return this.known.size;
  }

  /**
   * Counts a request and returns 0. If the rate is exceeded, counts nothing and returns the time to wait in milliseconds.
   * Twice the rate may arrive at once.
   */
  take(id: string, perSecond: number, nowMs: number): number {
    const rate = { burst: 2 * perSecond, perSecond };
    const bucket = this.known.get(id) ?? new Bucket(rate, nowMs);
    this.known.delete(id);
    this.known.set(id, bucket);
    if (this.known.size > principalsMax)
      this.known.delete(this.known.keys().next().value as string);
    const waitMs = bucket.waitMs(rate, nowMs);
    if (waitMs === 0) bucket.take(rate, nowMs);
    return waitMs;
  }
}
