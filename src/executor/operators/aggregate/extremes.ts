/** Computes the smallest or the largest value of each group. */

import { type Datum, type ScalarType, valueComparatorOf } from '#value';
import { datumBytes } from '../../batch/datum-bytes.ts';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import type { Fold } from './fold.ts';

export class Extremes implements Fold {
  valueBytes = 0;
  private readonly best: Datum[] = [];
  private readonly compare: (left: Datum, right: Datum) => number;
  private readonly sign: number;

  /** A `sign` of -1 keeps the smallest value, 1 the largest. */
  constructor(type: ScalarType, sign: number) {
    this.compare = valueComparatorOf(type) as (left: Datum, right: Datum) => number;
    this.sign = sign;
  }

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    const { best, compare, sign } = this;
    extend(best, groupCount);
    if (groupCount === 1 && values instanceof Float64Array && count > 0) {
      const found = extremeOf(values, sign, selection, count);
      const held = best[0] as Datum;
      if (held === null || compare(found, held) * sign > 0) best[0] = found;
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as Datum;
      if (value === null) continue;
      const group = groups[row] as number;
      const held = best[group] as Datum;
      if (held !== null && compare(value, held) * sign <= 0) continue;
      best[group] = value;
      this.valueBytes += datumBytes(value) - datumBytes(held);
    }
  }

  finish(from: number, to: number, out: Datums): void {
    extend(this.best, to);
    for (let group = from; group < to; group++) out.push(this.best[group] as Datum);
  }
}

/** Returns the extreme value; the first one of equal values. */
function extremeOf(
  values: Float64Array,
  sign: number,
  selection: Selection,
  count: number,
): number {
  let best = values[selection[0] as number] as number;
  for (let i = 1; i < count; i++) {
    const value = values[selection[i] as number] as number;
    if (sign < 0 ? value < best : value > best) best = value;
  }
  return best;
}

function extend(best: Datum[], length: number): void {
  while (best.length < length) best.push(null);
}
