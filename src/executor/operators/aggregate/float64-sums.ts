/** Computes sums of floats, added in row order. */

import { finiteFold } from '#value';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import { extend, type Fold } from './fold.ts';

export class Float64Sums implements Fold {
  readonly valueBytes = 0;
  private readonly sums: (number | null)[] = [];

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    const { sums } = this;
    extend(sums, groupCount, null);
    if (values instanceof Float64Array) {
      if (groupCount === 1) sums[0] = sumOf(values, sums[0] ?? 0, selection, count);
      else addNumbers(sums, values, groups, selection, count);
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as number | null;
      if (value === null) continue;
      const group = groups[row] as number;
      sums[group] = (sums[group] ?? 0) + value;
    }
  }

  finish(from: number, to: number, out: Datums): void {
    extend(this.sums, to, null);
    for (let group = from; group < to; group++) {
      const sum = this.sums[group] as number | null;
      out.push(sum === null ? null : finiteFold(sum));
    }
  }
}

/** Adds in row order, because another order gives another sum. */
function sumOf(values: Float64Array, sum: number, selection: Selection, count: number): number {
  let total = sum;
  for (let i = 0; i < count; i++) total += values[selection[i] as number] as number;
  return total;
}

function addNumbers(
  sums: (number | null)[],
  values: Float64Array,
  groups: Int32Array,
  selection: Selection,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const group = groups[row] as number;
    sums[group] = (sums[group] ?? 0) + (values[row] as number);
  }
}
