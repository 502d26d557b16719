/** Histograms: counts of values by the upper bounds of buckets. All histograms of a kind share their bounds. */

/** Seconds. A read by key takes 100 to 200 µs, so the lowest buckets tell such reads from those that take ten times as long. */
export const durationBounds: readonly number[] = [
  0.00005, 0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1, 2.5, 5, 10, 30, 60, 120,
];

/** Rows. The bucket of 0 holds operators without rows, the bucket of 1 those that found a single row. */
export const rowBounds: readonly number[] = [0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];

class Histogram {
  readonly bounds: readonly number[];
  /** By bucket: values of at most its bound, and above the bound before it. The last bucket has no bound. */
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
