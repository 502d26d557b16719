/** A stable merge sort of row numbers that can stop between any two rows, so that no sort blocks the event loop. */

import type { Pending } from '#base';
import type { RowComparator } from './row-order.ts';

/** Length of the runs that are created by insertion sort. */
const runLength = 8;
/** Rows moved between two calls of `pause`. */
const stepRows = 1024;
/** A row whose key has more than this many bytes is charged as several rows. */
const lightBytes = 64;

export class MergeSort {
  private readonly compare: RowComparator;
  private readonly length: number;
  /** Rows moved per step. */
  private readonly step: number;
  private from: Uint32Array;
  private to: Uint32Array;
  /** Length of the sorted runs in `from`; 0 before the first ones are complete. */
  private width = 0;
  /** Progress of the current pass: all positions before it are final for the pass. */
  private at = 0;
  /** Next positions of the two runs that are being merged (`left`, `right`), and the end of each run (`middle`, `end`). */
  private left = 0;
  private right = 0;
  private middle = 0;
  private end = 0;

  /** `keyBytes` is the approximate size of a key. */
  constructor(length: number, compare: RowComparator, keyBytes = 0) {
    this.compare = compare;
    this.length = length;
    this.step = Math.max(runLength, Math.floor(stepRows / Math.max(1, keyBytes / lightBytes)));
    this.from = new Uint32Array(length);
    this.to = new Uint32Array(length > runLength ? length : 0);
  }

  /** The row numbers in sorted order; valid once `run` has returned undefined. */
  get order(): Uint32Array {
    return this.from;
  }

  /** Sorts until the end or the next wait, after which it must be called again. */
  run(pause: (rows: number) => Pending | undefined): Pending | undefined {
    while (this.width < this.length) {
      const wait = pause(stepRows);
      if (wait !== undefined) return wait;
      const stop = Math.min(this.length, this.at + this.step);
      if (this.width === 0) this.makeRuns(stop);
      else this.mergeTo(stop);
      if (this.at >= this.length) this.endPass();
    }
    return undefined;
  }

  private makeRuns(stop: number): void {
    const { from, length, compare } = this;
    while (this.at < stop) {
      const end = Math.min(length, this.at + runLength);
      for (let i = this.at; i < end; i++) from[i] = i;
      insertionSort(from, this.at, end, compare);
      this.at = end;
    }
  }

  private mergeTo(stop: number): void {
    while (this.at < stop) {
      if (this.at >= this.end) this.nextRuns();
      this.merge(Math.min(stop, this.end));
    }
  }

  private nextRuns(): void {
    const { at, width, length } = this;
    this.left = at;
    this.middle = Math.min(length, at + width);
    this.right = this.middle;
    this.end = Math.min(length, this.middle + width);
  }

  /** Merges the two runs up to position `stop`. */
  private merge(stop: number): void {
    const { from, to, middle, end, compare } = this;
    let { left, right } = this;
    for (let out = this.at; out < stop; out++) {
      const takeLeft =
        left < middle &&
        (right >= end || compare(from[left] as number, from[right] as number) <= 0);
      to[out] = (takeLeft ? from[left++] : from[right++]) as number;
    }
    this.left = left;
    this.right = right;
    this.at = stop;
  }

  private endPass(): void {
    if (this.width === 0) {
      this.width = runLength;
    } else {
      this.width *= 2;
      [this.from, this.to] = [this.to, this.from];
    }
    this.at = 0;
    this.end = 0;
  }
}

/** Sorts the row numbers at [from, to); equal ones keep their order. */
export function insertionSort(
  rows: Uint32Array,
  from: number,
  to: number,
  compare: RowComparator,
): void {
  for (let i = from + 1; i < to; i++) {
    const row = rows[i] as number;
    let at = i - 1;
    for (; at >= from && compare(rows[at] as number, row) > 0; at--) {
      rows[at + 1] = rows[at] as number;
    }
    rows[at + 1] = row;
  }
}
