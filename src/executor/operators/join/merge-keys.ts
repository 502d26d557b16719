/** Compares the keys of the two inputs of a merge. NULL sorts first and equals nothing. */

import { type Datum, type ScalarType, valueComparatorOf } from '#value';
import type { Batch } from '../../batch/batch.ts';
import type { Vector } from '../../batch/vector.ts';

type ValueComparator = (left: Datum, right: Datum) => number;

export class MergeKeys {
  private readonly comparators: readonly ValueComparator[];
  private readonly streamColumnIndexes: readonly number[];
  private readonly heldColumnIndexes: readonly number[];
  private stream: readonly Vector[] = [];
  private held: readonly Vector[] = [];
  /** Key of the row that `keep` stored last. */
  private readonly kept: Datum[] = [];

  constructor(
    types: readonly ScalarType[],
    streamColumnIndexes: readonly number[],
    heldColumnIndexes: readonly number[],
  ) {
    this.comparators = types.map((type) => valueComparatorOf(type) as ValueComparator);
    this.streamColumnIndexes = streamColumnIndexes;
    this.heldColumnIndexes = heldColumnIndexes;
  }

  ofStream({ columns }: Batch): void {
    this.stream = this.streamColumnIndexes.map((columnIndex) => columns[columnIndex] as Vector);
  }

  ofHeld({ columns }: Batch): void {
    this.held = this.heldColumnIndexes.map((columnIndex) => columns[columnIndex] as Vector);
  }

  /** Returns the keys of both batches if the key has one column and is a number in every row; else undefined. */
  numbers(): readonly [Float64Array, Float64Array] | undefined {
    if (this.comparators.length !== 1) return undefined;
    const [[stream], [held]] = [this.stream, this.held];
    return stream instanceof Float64Array && held instanceof Float64Array
      ? [stream, held]
      : undefined;
  }

  /**
   * Returns 0 if the rows match. A negative result means that the stream row matches no row from `held` on; a positive one, that the held row
   * matches none from `stream` on.
   */
  compare(stream: number, held: number): number {
    const { comparators } = this;
    for (let k = 0; k < comparators.length; k++) {
      const a = (this.stream[k] as Vector)[stream] as Datum;
      if (a === null) return -1;
      const b = (this.held[k] as Vector)[held] as Datum;
      if (b === null) return 1;
      const order = (comparators[k] as ValueComparator)(a, b);
      if (order !== 0) return order;
    }
    return 0;
  }

  /** Stores a copy of the key of a stream row, which stays valid when its batch becomes invalid. */
  keep(stream: number): void {
    for (let k = 0; k < this.stream.length; k++) {
      this.kept[k] = (this.stream[k] as Vector)[stream] as Datum;
    }
  }

  /** Returns whether the row has the key that was stored last. */
  isKept(stream: number): boolean {
    for (let k = 0; k < this.comparators.length; k++) {
      const value = (this.stream[k] as Vector)[stream] as Datum;
      if (value === null) return false;
      if ((this.comparators[k] as ValueComparator)(value, this.kept[k] as Datum) !== 0)
        return false;
    }
    return true;
  }
}
