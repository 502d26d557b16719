/** A stable merge sort of row numbers that can stop between any two steps: no sort holds the event loop. */

import type { Pending } from '#base';
import type { RowComparator } from './row-order.ts';

/** Runs of this length are made by insertion. */
const runLength = 8;
/** Rows moved between two looks at the budget. */
const stepRows = 4096;

export class MergeSort {
  private readonly compare: RowComparator;
  private from: Uint32Array;
  private to: Uint32Array;
  /** Length of the sorted runs in `from`; 0 before the first ones are made. */
  private width = 0;
  /** How far the current pass has come. */
  private at = 0;

  constructor(length: number, compare: RowComparator) {
    this.compare = compare;
    this.from = Uint32Array.from({ length }, (_, i) => i);
    this.to = new Uint32Array(length > runLength ? length : 0);
  }

  /** The row numbers in order; meaningful once `run` has returned undefined. */
  get order(): Uint32Array {
    return this.from;
  }

  /** Sorts to the end, or up to the next wait. */
  run(pause: (rows: number) => Pending | undefined): Pending | undefined {
    while (!this.isSorted()) {
      const wait = pause(stepRows);
      if (wait !== undefined) return wait;
      this.step();
    }
    return undefined;
  }

  private isSorted(): boolean {
    return this.width >= this.from.length;
  }

  /** Handles at least `stepRows` rows of the current pass, or its rest. */
  private step(): void {
    const { length } = this.from;
    const stop = Math.min(length, this.at + stepRows);
    if (this.width === 0) {
      for (; this.at < stop; this.at += runLength) {
        insertionSort(this.from, this.at, Math.min(length, this.at + runLength), this.compare);
      }
      if (this.at >= length) this.endPass(runLength);
      return;
    }
    while (this.at < stop) {
      const middle = Math.min(length, this.at + this.width);
      const end = Math.min(length, middle + this.width);
      mergeRuns(this.from, this.to, [this.at, middle, end], this.compare);
      this.at = end;
    }
    if (this.at >= length) this.swap();
  }

  private swap(): void {
    const sorted = this.to;
    this.to = this.from;
    this.from = sorted;
    this.endPass(this.width * 2);
  }

  private endPass(width: number): void {
    this.width = width;
    this.at = 0;
  }
}

function insertionSort(rows: Uint32Array, from: number, to: number, compare: RowComparator): void {
  for (let i = from + 1; i < to; i++) {
    const row = rows[i] as number;
    let at = i - 1;
    for (; at >= from && compare(rows[at] as number, row) > 0; at--) {
      rows[at + 1] = rows[at] as number;
    }
    rows[at + 1] = row;
  }
}

function mergeRuns(
  from: Uint32Array,
  to: Uint32Array,
  [start, middle, end]: readonly [number, number, number],
  compare: RowComparator,
): void {
  let left = start;
  let right = middle;
  for (let out = start; out < end; out++) {
    const takeLeft =
      left < middle && (right >= end || compare(from[left] as number, from[right] as number) <= 0);
    to[out] = (takeLeft ? from[left++] : from[right++]) as number;
  }
}
