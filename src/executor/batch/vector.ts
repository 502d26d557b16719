/**
 * The columns of a batch: one datum per row position. Every representation of a column is defined here, so that typed vectors can replace plain
 * arrays without changes to the structure of operators.
 */

import type { Datum } from '#value';

/** A column under construction, or one with values of any kind: one datum per row position. */
export type Datums = Datum[];

/**
 * A column, indexed by row position; positions outside the selection have arbitrary contents. A Float64Array contains numbers, either exact int64
 * or float64, and no NULL: loops over it need not check each value.
 */
export type Vector = Datums | Float64Array;

/** Maximum number of rows of one batch; a row position is below it. */
export const batchRowsMax = 1024;

/** Row positions, ascending. Only the first `count` entries are valid; `count` is passed with the selection. */
export type Selection = Uint32Array;

/** The selection 0, 1, 2, … of a dense batch. All readers share this array and must not modify it. */
export const denseSelection: Selection = Uint32Array.from({ length: batchRowsMax }, (_, i) => i);

/** A buffer for a selection that is reused from batch to batch. */
export class Scratch {
  private rows: Uint32Array = new Uint32Array(16);

  /** Returns a buffer for `count` positions; its previous contents are lost. */
  take(count: number): Uint32Array {
    if (this.rows.length < count) this.rows = new Uint32Array(Math.max(count, batchRowsMax));
    return this.rows;
  }
}
