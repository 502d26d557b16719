/** Those who wait for something that is not handed out one by one: bounded in number. */

import { fail } from '#failure';

export class Crowd {
  count = 0;
  private readonly countMax: number;
  private readonly what: string;

  /** `what` says what they do, after their number. */
  constructor(countMax: number, what: string) {
    this.countMax = countMax;
    this.what = what;
  }

  /** Waits for `pending` as one of them; `overloaded` when there are too many. */
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
