/** A token bucket: `burst` events at once, then `perSecond`. */

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export class Bucket {
  private level: number;
  private atMs: number;

  constructor({ burst }: Rate, nowMs: number) {
    this.level = burst;
    this.atMs = nowMs;
  }

  /** Takes one event if the rate permits it. */
  take(rate: Rate, nowMs: number): boolean {
    if (this.waitMs(rate, nowMs) > 0) return false;
    this.level--;
    return true;
  }

  /** Returns the time until the next event is permitted; 0 if it is permitted now. */
  waitMs({ burst, perSecond }: Rate, nowMs: number): number {
    this.level = Math.min(burst, this.level + ((nowMs - this.atMs) / 1000) * perSecond);
    this.atMs = nowMs;
    return this.level >= 1 ? 0 : ((1 - this.level) / perSecond) * 1000;
  }
}
