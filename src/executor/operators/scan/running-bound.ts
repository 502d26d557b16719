/** A bound on one column that a sort above a scan tightens while the scan is running. */

import type { Column } from '#catalog';
import type { NumberBound, TextBound } from '#storage';
import type { Selection } from '../../batch/vector.ts';
import { startOf } from './text-bound.ts';

/** A bound that narrows during a scan. At first it is open on both sides and excludes no value, not even NULL. */
export interface RunningBound {
  /** Physical id of the column. */
  readonly column: number;
  readonly isNullable: boolean;
  /**
   * Narrows the bound to `value` and values that sort before it, or after it if `isDescending` is true. A value of another type than the column
   * has no effect.
   */
  draw(value: unknown, isDescending: boolean): void;
  /** Whether the bound excludes no row that `select` could test. */
  readonly isOpen: boolean;
  /** Writes to `out`, which may be `selection`, the selected rows whose values are within the bound, and returns their number. */
  select(values: Float64Array, selection: Selection, count: number, out: Selection): number;
  /** Opens the bound again, for a new run. */
  reset(): void;
}

/** Returns the bound of a column, which narrows during a scan; `undefined` unless the column has the type text, int64 or float64. */
export function runningBoundOf(
  column: Column,
): (RunningBound & (NumberBound | TextBound)) | undefined {
  if (column.type === 'text') return new RunningTextBound(column);
  const isNumber = column.type === 'int64' || column.type === 'float64';
  return isNumber ? new RunningNumberBound(column) : undefined;
}

class RunningNumberBound implements RunningBound, NumberBound {
  readonly kind = 'number';
  readonly column: number;
  readonly isFloat: boolean;
  readonly isNullable: boolean;
  min = -Infinity;
  max = Infinity;

  constructor(column: Column) {
    this.column = column.physicalId;
    this.isFloat = column.type === 'float64';
    this.isNullable = column.nullable;
  }

  draw(value: unknown, isDescending: boolean): void {
    if (typeof value !== 'number') return;
    if (isDescending) this.min = value;
    else this.max = value;
  }

  get isOpen(): boolean {
    return this.min === -Infinity && this.max === Infinity;
  }

  select(values: Float64Array, selection: Selection, count: number, out: Selection): number {
    const { min, max } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const value = values[row] as number;
      out[kept] = row;
      kept = (kept + (+(value >= min) & +(value <= max))) | 0;
    }
    return kept;
  }

  reset(): void {
    this.min = -Infinity;
    this.max = Infinity;
  }
}

class RunningTextBound implements RunningBound, TextBound {
  readonly kind = 'text';
  readonly column: number;
  readonly isNullable: boolean;
  /** Only the zones of blocks are compared with texts. */
  readonly isOpen = true;
  least: Uint8Array | undefined = undefined;
  greatest: Uint8Array | undefined = undefined;

  constructor(column: Column) {
    this.column = column.physicalId;
    this.isNullable = column.nullable;
  }

  draw(value: unknown, isDescending: boolean): void {
    if (typeof value !== 'string') return;
    if (isDescending) this.least = startOf(value);
    else this.greatest = startOf(value);
  }

  select(_values: Float64Array, _selection: Selection, count: number): number {
    return count;
  }

  reset(): void {
    this.least = undefined;
    this.greatest = undefined;
  }
}
