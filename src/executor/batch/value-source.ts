/** The few values of which a column of many rows consists: entries of a dictionary, or rows of the build side of a join. */

export interface ValueSource {
  /** The same object means the same values with the same numbers. */
  readonly identity: object;
  /** The number of the value at each row position, or -1 for NULL. */
  readonly numbers: Int32Array | Uint8Array;
  /** All numbers are below it. */
  readonly count: number;
}

/** Number of values above which the memo would cost more than it saves. */
const countMax = 2 ** 16;

/** Remembers an integer for each value of one source at a time, by its number. */
export class SourceMemo {
  private identity: object | undefined;
  private known = new Int32Array(0);

  /** Returns the memo of `source`, or `undefined` if the source is too large. The memo is all zero if the previous source had another identity. */
  of(source: ValueSource): Int32Array | undefined {
    const { identity, count } = source;
    if (count > countMax) return undefined;
    if (identity !== this.identity) {
      this.identity = identity;
      if (this.known.length < count) this.known = new Int32Array(Math.max(256, count));
      else this.known.fill(0);
    } else if (this.known.length < count) {
      const grown = new Int32Array(count);
      grown.set(this.known);
      this.known = grown;
    }
    return this.known;
  }

  get bytes(): number {
    return this.known.byteLength;
  }
}
