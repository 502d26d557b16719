/** Counts of values by their length in bits: bucket k holds those up to 2^k - 1 that are above 2^(k-1) - 1, bucket 0 the zeros (operations.md §8.1). */

const buckets = 64;

export class Log2Histogram {
  private readonly counts = new Uint32Array(buckets);
  private total = 0;
  maximum = 0;

  /** `value` is a whole number, not negative. */
  add(value: number): void {
    const bucket = value < 1 ? 0 : Math.min(buckets - 1, Math.floor(Math.log2(value)) + 1);
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.total++;
    if (value > this.maximum) this.maximum = value;
  }

  /** The upper bound of the bucket in which the value of that rank lies, never above the maximum; 0 without values. */
  quantile(share: number): number {
    if (this.total === 0) return 0;
    const rank = Math.max(1, Math.ceil(share * this.total));
    let seen = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      seen += this.counts[bucket] as number;
      if (seen >= rank) return Math.min(2 ** bucket - 1, this.maximum);
    }
    return this.maximum;
  }
}
