/**
 * A column that is assembled at row positions from vectors of another batch. The column is a Float64Array as long as all its values come from
 * such vectors.
 */

import type { Datum } from '#value';
import { batchRowsMax, type Datums, type Selection, type Vector } from './vector.ts';

export class PlacedColumn {
  private numbers: Float64Array | undefined;
  private readonly values: Datums = [];
  private isNumbers = true;

  /** The column assembled so far. */
  get vector(): Vector {
    return this.isNumbers && this.numbers !== undefined ? this.numbers : this.values;
  }

  /**
   * Puts at each selected position with an index from `start` to `end` the value of `from` at `rows[position]`, or NULL if that is -1; `hasNull`
   * states that there may be such positions. Positions before `start` must have been put already. With `start` 0 a new column begins.
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
