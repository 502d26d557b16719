/** Computes exact integer sums: numbers while they are safe integers, bigints beyond. Only the totals are checked against the range of int64. */

import { ArithmeticFailure, type Datum, toInt64 } from '#value';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import { extend, type Fold } from './fold.ts';

export class Int64Sums implements Fold {
  readonly valueBytes = 0;
  private readonly sums: (number | bigint | null)[] = [];

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    const { sums } = this;
    extend(sums, groupCount, null);
    if (groupCount === 1 && values instanceof Float64Array) {
      const sum = sumOf(values, sums[0] ?? 0, selection, count);
      if (sum !== undefined) {
        sums[0] = sum;
        return;
      }
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as number | bigint | null;
      if (value === null) continue;
      const group = groups[row] as number;
      const held = sums[group] ?? 0;
      const sum = typeof held === 'number' && typeof value === 'number' ? held + value : Number.NaN;
      sums[group] = Number.isSafeInteger(sum) ? sum : BigInt(held) + BigInt(value);
    }
  }

  finish(from: number, to: number, out: Datums): void {
    extend(this.sums, to, null);
    for (let group = from; group < to; group++) {
      const sum = this.sums[group] as number | bigint | null;
      out.push(sum === null ? null : judged(sum));
    }
  }
}

/** Returns the sum of `sum` and the selected values; `undefined` if an intermediate sum is not exact. */
function sumOf(
  values: Float64Array,
  sum: number | bigint,
  selection: Selection,
  count: number,
): number | undefined {
  if (typeof sum === 'bigint') return undefined;
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

function judged(sum: number | bigint): Datum {
  if (typeof sum === 'number') return sum;
  const total = toInt64(sum);
  if (total === undefined) throw new ArithmeticFailure('numeric_overflow', 'int64 overflow in sum');
  return total;
}
