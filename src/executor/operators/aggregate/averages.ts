/** Computes averages as floats, from a sum and a count for each group. */

import { finiteFold } from '#value';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import type { Fold } from './fold.ts';
import { grownNumbers, noNumbers } from './states.ts';

export class Averages implements Fold {
  readonly valueBytes = 0;
  private sums: Float64Array = noNumbers;
  private counts: Float64Array = noNumbers;

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    this.grow(groupCount);
    const { sums, counts } = this;
    if (groupCount === 1 && values instanceof Float64Array) {
      let sum = sums[0] as number;
      for (let i = 0; i < count; i++) sum += values[selection[i] as number] as number;
      sums[0] = sum;
      counts[0] = (counts[0] as number) + count;
      return;
    }
    if (values instanceof Float64Array) {
      addNumbers(sums, counts, values, groups, selection, count);
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as number | bigint | null;
      if (value === null) continue;
      const group = groups[row] as number;
      sums[group] = (sums[group] as number) + Number(value);
      counts[group] = (counts[group] as number) + 1;
    }
  }

  finish(from: number, to: number, out: Datums): void {
    this.grow(to);
    for (let group = from; group < to; group++) {
      const count = this.counts[group] as number;
      out.push(count === 0 ? null : finiteFold((this.sums[group] as number) / count));
    }
  }

  private grow(groupCount: number): void {
    this.sums = grownNumbers(this.sums, groupCount);
    this.counts = grownNumbers(this.counts, groupCount);
  }
}

function addNumbers(
  sums: Float64Array,
  counts: Float64Array,
  values: Float64Array,
  groups: Int32Array,
  selection: Selection,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const group = groups[row] as number;
    sums[group] = (sums[group] as number) + (values[row] as number);
    counts[group] = (counts[group] as number) + 1;
  }
}
