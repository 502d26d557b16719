/** Histograms: numbers of values by the upper bounds of buckets. All histograms of one kind have the same bounds. */

/**
 * Bucket bounds in seconds. A read by key takes 100 to 200 µs, so the lowest buckets separate such reads from reads that
 * take ten times longer.
 */
export const durationBounds: readonly number[] = [
  0.00005, 0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1, 2.5, 5, 10, 30, 60, 120,
];

/**
 * Bucket bounds in rows. The bucket of 0 counts operators that returned no rows, the bucket of 1 operators that returned
 * one row.
 */
export const rowBounds: readonly number[] = [0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];

class Histogram {
  readonly bounds: readonly number[];
  /**
   * Numbers of values by bucket. A bucket counts the values of at most its bound that exceed the previous bound. The
   * last bucket has no bound.
   */
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    this.count++;
    this.sum += value;
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    (this.counts[bucket] as number)++;
  }
}

export type { Histogram };

export class DurationHistogram extends Histogram {
  constructor() {
    super(durationBounds);
  }
}

export class RowHistogram extends Histogram {
  constructor() {
    super(rowBounds);
  }
}
