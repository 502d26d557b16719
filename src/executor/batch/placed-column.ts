/** A column that is put together at row positions, out of vectors of another batch. Numbers stay numbers as long as nothing else comes. */

import type { Datum } from '#value';
import { batchRowsMax, type Datums, type Selection, type Vector } from './vector.ts';

export class PlacedColumn {
  private numbers: Float64Array | undefined;
  private readonly values: Datums = [];
  private isNumbers = true;

  /** As it has been put together. */
  get vector(): Vector {
    return this.isNumbers && this.numbers !== undefined ? this.numbers : this.values;
  }

  /**
   * For the selected positions from index `start` to `end`: the value of `from` at `rows[position]`, NULL where that is -1 and `hasNull` says that there
   * may be such. Positions before `start` have been put; with 0 the column begins anew.
   */
  put(
    from: Vector,
    rows: Int32Array,
    selection: Selection,
    [start, end]: readonly [number, number],
    hasNull: boolean,
  ): void {
    if (start === 0) this.isNumbers = true;
    if (this.isNumbers && from instanceof Float64Array && !hasNull) {
      this.numbers ??= new Float64Array(batchRowsMax);
      const { numbers } = this;
      for (let i = start; i < end; i++) {
        const at = selection[i] as number;
        numbers[at] = from[rows[at] as number] as number;
      }
      return;
    }
    if (this.isNumbers) this.leaveNumbers(selection, start);
    const { values } = this;
    for (let i = start; i < end; i++) {
      const at = selection[i] as number;
      const row = rows[at] as number;
      values[at] = row < 0 ? null : (from[row] as Datum);
    }
  }

  private leaveNumbers(selection: Selection, count: number): void {
    const { numbers, values } = this;
    this.isNumbers = false;
    if (numbers === undefined) return;
    for (let i = 0; i < count; i++) {
      const at = selection[i] as number;
      values[at] = numbers[at] as number;
    }
  }
}
