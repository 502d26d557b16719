/** Folds over groups: one state a group, fed by one loop a batch. NULL arguments are skipped (lir.md §6). */

import type { Datums, Selection, Vector } from '../../batch/vector.ts';

export interface Fold {
  /** Feeds the selected rows: `groups[row]` is the group of a row, all below `groupCount`. `values` is undefined for a count of rows. */
  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void;
  /** Memory of the values that the states hold, their slots not counted. */
  readonly valueBytes: number;
  /** Appends the results of the groups [from, to) to `out`. May raise what is judged on the total only. */
  finish(from: number, to: number, out: Datums): void;
}

/** Brings `states` to `length` by appending `initial`. */
export function extend<T>(states: T[], length: number, initial: T): void {
  while (states.length < length) states.push(initial);
}
