/** Folds over groups: one state a group, fed by one loop a batch. NULL arguments are skipped (lir.md §6). */

import { unreachable } from '#base';
import type { PlanFold } from '#planner';
import { type Datum, finiteFold, type ScalarType, valueComparatorOf } from '#value';
import { datumBytes } from '../../batch/datum-bytes.ts';
import type { Selection, Vector } from '../../batch/vector.ts';
import { Int64Sums } from './int64-sums.ts';

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
  finish(from: number, to: number, out: Vector): void;
}

export function foldOf(fold: PlanFold): Fold {
  const kind = fold.argument?.type.kind;
  switch (fold.fn) {
    case 'count':
      return new Count();
    case 'sum':
      return kind === 'float64' ? new Float64Sums() : new Int64Sums();
    case 'avg':
      return new Averages();
    case 'min':
      return new Extremes(kind as ScalarType, -1);
    case 'max':
      return new Extremes(kind as ScalarType, 1);
    default:
      return unreachable(fold.fn);
  }
}

/** Brings `states` to `length` by appending `initial`. */
export function extend<T>(states: T[], length: number, initial: T): void {
  while (states.length < length) states.push(initial);
}

class Count implements Fold {
  readonly valueBytes = 0;
  private readonly counts: number[] = [];

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    const { counts } = this;
    extend(counts, groupCount, 0);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      if (values !== undefined && values[row] === null) continue;
      const group = groups[row] as number;
      counts[group] = (counts[group] as number) + 1;
    }
  }

  finish(from: number, to: number, out: Vector): void {
    extend(this.counts, to, 0);
    for (let group = from; group < to; group++) out.push(this.counts[group] as number);
  }
}

class Float64Sums implements Fold {
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
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as number | null;
      if (value === null) continue;
      const group = groups[row] as number;
      sums[group] = (sums[group] ?? 0) + value;
    }
  }

  finish(from: number, to: number, out: Vector): void {
    extend(this.sums, to, null);
    for (let group = from; group < to; group++) {
      const sum = this.sums[group] as number | null;
      out.push(sum === null ? null : finiteFold(sum));
    }
  }
}

class Averages implements Fold {
  readonly valueBytes = 0;
  private readonly sums: number[] = [];
  private readonly counts: number[] = [];

  update(
    values: Vector | undefined,
    groups: Int32Array,
    selection: Selection,
    count: number,
    groupCount: number,
  ): void {
    const { sums, counts } = this;
    extend(sums, groupCount, 0);
    extend(counts, groupCount, 0);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = (values as Vector)[row] as number | bigint | null;
      if (value === null) continue;
      const group = groups[row] as number;
      sums[group] = (sums[group] as number) + Number(value);
      counts[group] = (counts[group] as number) + 1;
    }
  }

  finish(from: number, to: number, out: Vector): void {
    extend(this.sums, to, 0);
    extend(this.counts, to, 0);
    for (let group = from; group < to; group++) {
      const count = this.counts[group] as number;
      out.push(count === 0 ? null : finiteFold((this.sums[group] as number) / count));
    }
  }
}

class Extremes implements Fold {
  valueBytes = 0;
  private readonly best: Datum[] = [];
  private readonly compare: (left: Datum, right: Datum) => number;
  private readonly sign: number;

  /** `sign` -1 keeps the smallest, 1 the largest. */
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
    extend(best, groupCount, null);
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

  finish(from: number, to: number, out: Vector): void {
    extend(this.best, to, null);
    for (let group = from; group < to; group++) out.push(this.best[group] as Datum);
  }
}
