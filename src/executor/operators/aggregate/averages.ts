/** Computes averages as floats, from a sum and a count for each group. */

import { finiteFold } from '#value';
import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import { extend, type Fold } from './fold.ts';

export class Averages implements Fold {
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
    if (groupCount === 1 && values instanceof Float64Array) {
      let sum = sums[0] as number;
      for (let i = 0; i < count; i++) sum += values[selection[i] as number] as number;
      sums[0] = sum;
      counts[0] = (counts[0] as number) + count;
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
    extend(this.sums, to, 0);
    extend(this.counts, to, 0);
    for (let group = from; group < to; group++) {
      const count = this.counts[group] as number;
      out.push(count === 0 ? null : finiteFold((this.sums[group] as number) / count));
    }
  }
}
