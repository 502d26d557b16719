/** Counts the rows of each group, or the values that are not NULL. */

import type { Datums, Selection, Vector } from '../../batch/vector.ts';
import { extend, type Fold } from './fold.ts';

export class Count implements Fold {
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
    if (groupCount === 1 && (values === undefined || values instanceof Float64Array)) {
      counts[0] = (counts[0] as number) + count;
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      if (values !== undefined && values[row] === null) continue;
      const group = groups[row] as number;
      counts[group] = (counts[group] as number) + 1;
    }
  }

  finish(from: number, to: number, out: Datums): void {
    extend(this.counts, to, 0);
    for (let group = from; group < to; group++) out.push(this.counts[group] as number);
  }
}
