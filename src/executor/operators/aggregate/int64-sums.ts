/** Computes exact integer sums: numbers while they are safe integers, bigints beyond. Only the totals are checked against the range of int64. */

import { type Datum, EvaluationFailure, toInt64 } from '#value';
import { bigIntBytes, mapEntryBytes } from '../../batch/memory-costs.ts';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import type { Fold } from './fold.ts';
import { grownFlags, grownNumbers, noFlags, noNumbers } from './states.ts';

export class Int64Sums implements Fold {
  private sums: Float64Array = noNumbers;
  /** 1 for each group with a value. */
  private hasValue: Uint8Array = noFlags;
  /** Sums of the groups that have left the safe integers, instead of those in `sums`. */
  private readonly large = new Map<number, bigint>();

  get valueBytes(): number {
    return this.large.size * (mapEntryBytes + bigIntBytes);
  }

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    this.grow(groupCount);
    const { large, sums } = this;
    if (groupCount === 1 && values instanceof Float64Array && large.size === 0 && count > 0) {
      const sum = sumOf(values, sums[0] as number, selection, count);
      if (sum !== undefined) {
        sums[0] = sum;
        this.hasValue[0] = 1;
        return;
      }
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as number | bigint | null;
      if (value !== null) this.add(groups[row] as number, value);
    }
  }

  finish(from: number, to: number, out: Datums): void {
    this.grow(to);
    for (let group = from; group < to; group++) {
      out.push(this.hasValue[group] === 0 ? null : this.total(group));
    }
  }

  private add(group: number, value: number | bigint): void {
    const { hasValue, large, sums } = this;
    hasValue[group] = 1;
    const held = large.size === 0 ? undefined : large.get(group);
    if (held === undefined && typeof value === 'number') {
      const sum = (sums[group] as number) + value;
      if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) {
        sums[group] = sum;
        return;
      }
    }
    large.set(group, (held ?? BigInt(sums[group] as number)) + BigInt(value));
  }

  private total(group: number): Datum {
    const sum = this.large.get(group);
    if (sum === undefined) return this.sums[group] as number;
    const total = toInt64(sum);
    if (total !== undefined) return total;
    throw new EvaluationFailure('numeric_overflow', 'int64 overflow in sum');
  }

  private grow(groupCount: number): void {
    this.sums = grownNumbers(this.sums, groupCount);
    this.hasValue = grownFlags(this.hasValue, groupCount);
  }
}

/** Returns the sum of `sum` and the selected values; `undefined` if an intermediate sum is not exact. */
function sumOf(
  values: Float64Array,
  sum: number,
  selection: Selection,
  count: number,
): number | undefined {
  let total = sum;
  let least = sum;
  let greatest = sum;
  for (let i = 0; i < count; i++) {
    total += values[selection[i] as number] as number;
    least = Math.min(least, total);
    greatest = Math.max(greatest, total);
  }
  return Number.isSafeInteger(least) && Number.isSafeInteger(greatest) ? total : undefined;
}
