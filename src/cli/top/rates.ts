/** What has happened between two looks at a server. */

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

  /** As it is now; undefined where the server does not tell. */
  value(name: string, ...words: readonly string[]): number | undefined {
    return this.now.sum(name, ...words);
  }

  /** How much of a counter came meanwhile; all of it after a restart. */
  grown(name: string, ...words: readonly string[]): number {
    const now = this.now.sum(name, ...words) ?? 0;
    const before = this.before.sum(name, ...words) ?? 0;
    return now < before ? now : now - before;
  }

  perSecond(name: string, ...words: readonly string[]): number {
    return this.grown(name, ...words) / this.seconds;
  }

  /** The part of a counter's growth, from 0 to 1, whose attributes contain `word`; undefined when nothing came. */
  share(name: string, word: string, ...words: readonly string[]): number | undefined {
    const all = this.grown(name, ...words);
    return all === 0 ? undefined : this.grown(name, word, ...words) / all;
  }

  /** The bound in seconds that this part of what came meanwhile stayed within; undefined when nothing came. */
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
