/** Bounds the number of requests that wait for one event. A request beyond the bound fails with `overloaded`. */

import { fail } from '#failure';

export class BoundedWaiters {
  count = 0;
  private readonly countMax: number;
  private readonly what: string;

  /** `what` follows the number of waiting requests in the message. */
  constructor(countMax: number, what: string) {
    this.countMax = countMax;
    this.what = what;
  }

  /** Waits for `pending`. Throws `overloaded` if too many requests already wait. */
  async wait<T>(pending: () => Promise<T>): Promise<T> {
    if (this.count >= this.countMax) {
      const detail = `${this.countMax} ${this.what}; try again later`;
      throw fail('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.count++;
    try {
      return await pending();
    } finally {
      this.count--;
    }
  }
}
