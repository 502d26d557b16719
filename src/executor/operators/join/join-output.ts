/** Joined rows under construction, copied to consecutive positions. A residual may keep only some of them. */

import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax, type Selection, type Vector } from '../../batch/vector.ts';
import type { Select } from '../../kernels/kernel.ts';

/** Positions [from, to) of columns that several spans share. */
export interface Span {
  readonly columns: readonly Vector[];
  readonly from: number;
  readonly to: number;
}

export class JoinOutput {
  private readonly columns: readonly Vector[];
  private readonly selection = new Uint32Array(batchRowsMax);
  private readonly leftWidth: number;
  /** Maximum number of positions; the values that a residual computes are as long as the highest position. */
  private readonly capacity: number;
  /** Number of positions in use. */
  private filled = 0;
  /** Number of rows in the result. */
  kept = 0;

  constructor(width: number, leftWidth: number, capacity: number) {
    this.capacity = capacity;
    this.columns = Array.from({ length: width }, () => []);
    this.leftWidth = leftWidth;
  }

  hasRoom(count: number): boolean {
    return this.filled + count <= this.capacity;
  }

  /** Number of free positions. */
  get room(): number {
    return this.capacity - this.filled;
  }

  /** Adds the pairs of one left row with each selected right row. The caller must have checked that they fit. */
  add(left: Batch, leftRow: number, right: Batch): void {
    const from = this.filled;
    const to = from + right.count;
    this.fillLeft(left, leftRow, to);
    for (let c = 0; c < right.columns.length; c++) {
      const column = this.columns[this.leftWidth + c] as Vector;
      const values = right.columns[c] as Vector;
      for (let i = from; i < to; i++) {
        column[i] = values[right.selection[i - from] as number] as Datum;
      }
    }
    this.keep(from, to, undefined);
  }

  /**
   * Adds the pairs of one left row with each row of a span; returns the number of pairs that pass the residual. The caller must have checked that
   * they fit.
   */
  addSpan(left: Batch, leftRow: number, right: Span, residual: Select | undefined): number {
    const from = this.filled;
    const to = from + right.to - right.from;
    this.fillLeft(left, leftRow, to);
    for (let c = 0; c < right.columns.length; c++) {
      const column = this.columns[this.leftWidth + c] as Vector;
      const values = right.columns[c] as Vector;
      for (let i = from; i < to; i++) column[i] = values[right.from + i - from] as Datum;
    }
    return this.keep(from, to, residual);
  }

  /** Adds a left row with NULL on the right. */
  addUnmatched(left: Batch, leftRow: number): void {
    const at = this.filled;
    this.fillLeft(left, leftRow, at + 1);
    for (let c = this.leftWidth; c < this.columns.length; c++) {
      (this.columns[c] as Vector)[at] = null;
    }
    this.keep(at, at + 1, undefined);
  }

  /** Returns the rows in the result and empties it; undefined if it has no rows. */
  take(): Batch | undefined {
    const count = this.kept;
    this.clear();
    return count === 0 ? undefined : { columns: this.columns, selection: this.selection, count };
  }

  clear(): void {
    this.filled = 0;
    this.kept = 0;
  }

  private fillLeft(left: Batch, leftRow: number, to: number): void {
    for (let c = 0; c < this.leftWidth; c++) {
      const column = this.columns[c] as Vector;
      const value = (left.columns[c] as Vector)[leftRow] as Datum;
      for (let i = this.filled; i < to; i++) column[i] = value;
    }
  }

  private keep(from: number, to: number, residual: Select | undefined): number {
    this.filled = to;
    const { selection, kept } = this;
    if (residual === undefined) {
      for (let i = from; i < to; i++) selection[kept + i - from] = i;
      this.kept += to - from;
      return to - from;
    }
    const fresh: Selection = selection.subarray(kept, kept + to - from);
    for (let i = from; i < to; i++) fresh[i - from] = i;
    const count = residual(this.columns, fresh, to - from, fresh);
    this.kept += count;
    return count;
  }
}
