/** The rows of a list that have matched so far, of which each pass through the list sees all in the same order. */

import type { Batch } from '../../batch/batch.ts';

export class MatchedRows {
  /** One bit per row of the list. */
  private readonly bits: Uint8Array;
  /** Position of the next batch. */
  private at = 0;

  constructor(rows: number) {
    this.bits = new Uint8Array(Math.ceil(rows / 8));
  }

  get bytes(): number {
    return this.bits.length;
  }

  /** Begins the next pass. */
  restart(): void {
    this.at = 0;
  }

  /** Adds the matches of the next batch, and sets `matched[row]` for the rows of the batch that have matched in an earlier pass. */
  merge({ selection, count }: Batch, matched: Uint8Array): void {
    for (let i = 0; i < count; i++, this.at++) {
      const row = selection[i] as number;
      const bit = 1 << (this.at & 7);
      const byte = this.bits[this.at >>> 3] as number;
      if (matched[row] === 1) this.bits[this.at >>> 3] = byte | bit;
      else if ((byte & bit) !== 0) matched[row] = 1;
    }
  }
}
