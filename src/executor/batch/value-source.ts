/** The few values of which a column of many rows consists: entries of a dictionary, or rows of the build side of a join. */

import type { Datum } from '#value';
import { type ChunkedColumn, valueAt } from './chunked-column.ts';
import { gatherStoredRows } from './gather-rows.ts';
import type { Datums, Selection, Vector } from './vector.ts';

export interface ValueSource {
  /** The same object means the same values with the same numbers. */
  readonly identity: object;
  /** The number of the value at each row position, or -1 for NULL. */
  readonly numbers: Int32Array | Uint8Array;
  /** All numbers are below it. */
  readonly count: number;
  /** The values by their numbers. If present, the column of the batch may be without values (`Operator.narrowTo`). */
  readonly values?: ChunkedColumn | undefined;
}

/** Returns the column with the values of the selected rows, in `out` if they must be gathered. */
export function sourcedColumn(
  column: Vector,
  source: ValueSource | undefined,
  selection: Selection,
  count: number,
  out: Datums,
): Vector {
  if (source?.values === undefined) return column;
  gatherStoredRows(source.values, source.numbers, selection, count, out);
  return out;
}

/** Returns the value at one row position. */
export function sourcedValue(column: Vector, { numbers, values }: ValueSource, row: number): Datum {
  if (values === undefined) return column[row] as Datum;
  const number = numbers[row] as number;
  return number < 0 ? null : valueAt(values, number);
}

/** Number of values up to which the memo always pays. */
const countMax = 2 ** 16;
/** Above `countMax` the memo is created once there was a row for this many values: creating it then costs less than it has cost without it. */
const valuesOfRow = 16;

const noMemo = new Int32Array(0);

/** Remembers an integer for each value of one source at a time, by its number + 1: NULL has the number -1. */
export class SourceMemo {
  private identity: object | undefined;
  private known: Int32Array = noMemo;
  /** Number of rows of this identity so far. */
  private rows = 0;

  /**
   * Returns the memo of `source`, of which `rows` more rows are about to be read; `undefined` if it does not pay yet. The memo is all zero if the
   * previous source had another identity.
   */
  of({ identity, count }: ValueSource, rows: number): Int32Array | undefined {
    if (identity !== this.identity) {
      this.identity = identity;
      this.rows = 0;
      if (this.known.length > countMax) this.known = noMemo;
      else this.known.fill(0);
    }
    this.rows += rows;
    if (this.known.length > count) return this.known;
    if (count > countMax && this.rows * valuesOfRow < count) return undefined;
    const grown = new Int32Array(Math.max(256, count) + 1);
    grown.set(this.known);
    this.known = grown;
    return grown;
  }

  get bytes(): number {
    return this.known.byteLength;
  }
}
