/**
 * The column of a batch: one datum a row position. Every representation of a column is named here, so that typed vectors can take the
 * place of plain arrays without changing what operators are made of.
 */

import type { Datum } from '#value';

/** A column under construction, or one of whatever values: one datum a row position. */
export type Datums = Datum[];

/**
 * Indexed by row position; positions that no selection names hold anything. A Float64Array holds numbers, int64 exact or float64, and no
 * NULL: loops over one need no look at each value.
 */
export type Vector = Datums | Float64Array;

/** Rows of one batch at most; a row position is below it. */
export const batchRowsMax = 1024;

/** Row positions, ascending. Only the first `count` entries, given beside it, are meant. */
export type Selection = Uint32Array;

/** 0, 1, 2, … : the selection of a dense batch. Shared: never written. */
export const denseSelection: Selection = Uint32Array.from({ length: batchRowsMax }, (_, i) => i);

/** A buffer for a selection that is reused from batch to batch. */
export class Scratch {
  private rows: Uint32Array = new Uint32Array(16);

  /** Room for `count` positions; the previous contents are gone. */
  take(count: number): Uint32Array {
    if (this.rows.length < count) this.rows = new Uint32Array(Math.max(count, batchRowsMax));
    return this.rows;
  }
}
