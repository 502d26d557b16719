/** Folds over groups: one state a group, fed by one loop a batch. NULL arguments are skipped (lir.md §6). */

import { unreachable } from '#base';
import type { PlanFold } from '#planner';
import { type Datum, finiteFold, type ScalarType, valueComparatorOf } from '#value';
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
  /** The results of all groups. May raise what is judged on the total only. */
  finish(groupCount: number): Vector;
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

  finish(groupCount: number): Vector {
    extend(this.counts, groupCount, 0);
    return this.counts;
  }
}

class Float64Sums implements Fold {
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

  finish(groupCount: number): Vector {
    extend(this.sums, groupCount, null);
    return this.sums.map((sum) => (sum === null ? null : finiteFold(sum)));
  }
}

class Averages implements Fold {
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

  finish(groupCount: number): Vector {
    extend(this.sums, groupCount, 0);
    extend(this.counts, groupCount, 0);
    return this.sums.map((sum, group) => {
      const count = this.counts[group] as number;
      return count === 0 ? null : finiteFold(sum / count);
    });
  }
}

class Extremes implements Fold {
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
      if (held === null || compare(value, held) * sign > 0) best[group] = value;
    }
  }

  finish(groupCount: number): Vector {
    extend(this.best, groupCount, null);
    return this.best;
  }
}
