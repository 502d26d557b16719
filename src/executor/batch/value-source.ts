/** Few values that stand for the many of a column: rows of a dictionary, or of the held side of a join. */

export interface ValueSource {
  /** The same object means the same values by the same numbers. */
  readonly identity: object;
  /** By row position: the number of its value, -1 for NULL. */
  readonly numbers: Int32Array | Uint8Array;
  /** Numbers are below it. */
  readonly count: number;
}

/** Beyond, what is remembered of each number would be more than it saves. */
const countMax = 2 ** 16;

/** What somebody knows of the values of one source at a time, by their numbers. */
export class SourceMemo {
  private identity: object | undefined;
  private known = new Int32Array(0);

  /** `undefined` where the source is too large for it. Anew, all zero, when the values are others than the last time. */
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
