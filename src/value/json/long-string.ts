/** A string of a JSON text that is too long to be read in one go: in parts, none of which ends within an escape or within a pair of surrogates. */

import { surrogateAt } from './surrogates.ts';

export class LongString {
  /** Of its quotes. */
  readonly from: number;
  readonly to: number;
  private readonly text: string;
  private readonly partLength: number;
  private at: number;
  /** Of the first backslash from `at` on, once it was looked for; the closing quote without one. */
  private escape = -1;

  /** The text has no lone surrogate but escaped ones. */
  constructor(text: string, from: number, to: number, partLength: number) {
    this.text = text;
    this.from = from;
    this.to = to;
    this.partLength = partLength;
    this.at = from + 1;
  }

  /** The next part, a JSON string by itself, and where it begins; undefined at the end. */
  next(): { readonly part: string; readonly from: number } | undefined {
    const from = this.at;
    if (from >= this.to) return undefined;
    this.at = Math.min(this.to, this.cut());
    return { part: `"${this.text.slice(from, this.at)}"`, from };
  }

  private cut(): number {
    const { text, to } = this;
    const limit = Math.min(to, this.at + this.partLength);
    let at = this.at;
    for (;;) {
      const backslash = this.escapeFrom(at);
      if (backslash >= limit) return isHigh(text.charCodeAt(limit - 1)) ? limit + 1 : limit;
      const next = backslash + escapeLength(text, backslash);
      if (next > limit) return backslash > this.at ? backslash : next;
      at = next;
    }
  }

  private escapeFrom(at: number): number {
    if (this.escape < at) {
      const found = this.text.indexOf('\\', at);
      this.escape = found < 0 ? this.to : Math.min(found, this.to);
    }
    return this.escape;
  }
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

/** Two escapes that stand for a pair count as one. */
function escapeLength(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== 0x75) return 2;
  const isPair = surrogateAt(text, at) === 'high' && surrogateAt(text, at + 6) === 'low';
  return isPair ? 12 : 6;
}
