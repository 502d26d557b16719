/**
 * A string in a JSON text that is too long to be read in one step. The string is read in parts, none of which ends within an escape or a
 * surrogate pair.
 */

import { surrogateAt } from './surrogates.ts';

export class LongString {
  /** Offsets of the two quotes. */
  readonly from: number;
  readonly to: number;
  private readonly text: string;
  private readonly partLength: number;
  private at: number;
  /** Offset of the first backslash from `at` on, or of the closing quote if there is none; -1 before the first search. */
  private escape = -1;

  /** `text` must have no lone surrogates except escaped ones. */
  constructor(text: string, from: number, to: number, partLength: number) {
    this.text = text;
    this.from = from;
    this.to = to;
    this.partLength = partLength;
    this.at = from + 1;
  }

  /** Returns the next part as a JSON string, and its offset; `undefined` at the end. */
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

/** Returns the length of an escape. Two escapes that form a surrogate pair count as one. */
function escapeLength(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== 0x75) return 2;
  const isPair = surrogateAt(text, at) === 'high' && surrogateAt(text, at + 6) === 'low';
  return isPair ? 12 : 6;
}
