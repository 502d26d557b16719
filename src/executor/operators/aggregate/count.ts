/** Counts the rows of each group, or the values that are not NULL. */

import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import type { Fold } from './fold.ts';
import { grownNumbers, noNumbers } from './states.ts';

export class Count implements Fold {
  readonly valueBytes = 0;
  private counts: Float64Array = noNumbers;

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    const counts = grownNumbers(this.counts, groupCount);
    this.counts = counts;
    if (values === undefined || values instanceof Float64Array) {
      if (groupCount === 1) counts[0] = (counts[0] as number) + count;
      else countRows(counts, groups, selection, count);
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      if (values[row] === null) continue;
      const group = groups[row] as number;
      counts[group] = (counts[group] as number) + 1;
    }
  }

  finish(from: number, to: number, out: Datums): void {
    const counts = grownNumbers(this.counts, to);
    for (let group = from; group < to; group++) out.push(counts[group] as number);
  }
}

function countRows(
  counts: Float64Array,
  groups: Int32Array,
  selection: Selection,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const group = groups[selection[i] as number] as number;
    counts[group] = (counts[group] as number) + 1;
  }
}
