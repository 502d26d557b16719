/** The difference between two samples of the metrics of a server. */

import type { Samples } from '#client';

export class Rates {
  private readonly before: Samples;
  private readonly now: Samples;
  private readonly seconds: number;

  constructor(before: Samples, now: Samples, seconds: number) {
    this.before = before;
    this.now = now;
    this.seconds = seconds;
  }

  /** Returns the current value, or `undefined` if the server does not report it. */
  value(name: string, ...words: readonly string[]): number | undefined {
    return this.now.sum(name, ...words);
  }

  /** Returns the growth of a counter between the samples. After a restart of the server it is the whole value. */
  grown(name: string, ...words: readonly string[]): number {
    const now = this.now.sum(name, ...words) ?? 0;
    const before = this.before.sum(name, ...words) ?? 0;
    return now < before ? now : now - before;
  }

  perSecond(name: string, ...words: readonly string[]): number {
    return this.grown(name, ...words) / this.seconds;
  }

  /** Returns the part of a counter's growth, from 0 to 1, whose attributes contain `word`, or `undefined` if it did not grow. */
  share(name: string, word: string, ...words: readonly string[]): number | undefined {
    const all = this.grown(name, ...words);
    return all === 0 ? undefined : this.grown(name, word, ...words) / all;
  }

  /** Returns the upper bound in seconds of this quantile of the new observations, or `undefined` if there are none. */
  quantile(name: string, part: number, ...words: readonly string[]): number | undefined {
    const before = new Map(this.before.buckets(name, ...words));
    const grown = this.now
      .buckets(name, ...words)
      .map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)] as const);
    const all = grown.at(-1)?.[1] ?? 0;
    if (all <= 0) return undefined;
    return grown.find(([, count]) => count >= Math.ceil(all * part))?.[0];
  }
}
