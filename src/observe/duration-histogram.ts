/** How long things took, by bounds that all durations share. */

/** Seconds; the last bucket is for what took longer. */
export const durationBounds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
];

export class DurationHistogram {
  /** By bucket: how many took at most its bound, and more than the one before. */
  readonly counts: number[] = new Array<number>(durationBounds.length + 1).fill(0);
  count = 0;
  /** Seconds. */
  sum = 0;

  add(seconds: number): void {
    this.count++;
    this.sum += seconds;
    let bucket = 0;
    while (seconds > (durationBounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    (this.counts[bucket] as number)++;
  }
}
