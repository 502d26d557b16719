/** Computes sums of floats, added in row order. */

import { finiteFold } from '#value';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import type { Fold } from './fold.ts';
import { grownFlags, grownNumbers, noFlags, noNumbers } from './states.ts';

export class Float64Sums implements Fold {
  readonly valueBytes = 0;
  private sums: Float64Array = noNumbers;
  /** 1 for each group with a value. */
  private hasValue: Uint8Array = noFlags;

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    this.grow(groupCount);
    const { hasValue, sums } = this;
    if (values instanceof Float64Array) {
      if (groupCount > 1) {
        addNumbers(sums, hasValue, values, groups, selection, count);
      } else if (count > 0) {
        sums[0] = sumOf(values, sums[0] as number, selection, count);
        hasValue[0] = 1;
      }
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as number | null;
      if (value === null) continue;
      const group = groups[row] as number;
      sums[group] = (sums[group] as number) + value;
      hasValue[group] = 1;
    }
  }

  finish(from: number, to: number, out: Datums): void {
    this.grow(to);
    for (let group = from; group < to; group++) {
      out.push(this.hasValue[group] === 0 ? null : finiteFold(this.sums[group] as number));
    }
  }

  private grow(groupCount: number): void {
    this.sums = grownNumbers(this.sums, groupCount);
    this.hasValue = grownFlags(this.hasValue, groupCount);
  }
}

/** Adds in row order, because another order gives another sum. */
function sumOf(values: Float64Array, sum: number, selection: Selection, count: number): number {
  let total = sum;
  for (let i = 0; i < count; i++) total += values[selection[i] as number] as number;
  return total;
}

function addNumbers(
  sums: Float64Array,
  hasValue: Uint8Array,
  values: Float64Array,
  groups: Int32Array,
  selection: Selection,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    const group = groups[row] as number;
    sums[group] = (sums[group] as number) + (values[row] as number);
    hasValue[group] = 1;
  }
}
