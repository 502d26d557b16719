/** Folds over groups: one state per group, updated by one loop per batch. NULL arguments are skipped (docs/lir.md §5). */

import type { Datums, Selection, Vector } from '../../batch/vector.ts';

export interface Fold {
  /** Adds the selected rows: `groups[row]` is the group of a row, below `groupCount`. `values` is undefined for a count of rows. */
  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void;
  /** Bytes of memory of the values that the states refer to, without their slots. */
  readonly valueBytes: number;
  /** Appends the results of the groups [from, to) to `out`. Throws errors that depend on the total only, such as an overflow. */
  finish(from: number, to: number, out: Datums): void;
}
