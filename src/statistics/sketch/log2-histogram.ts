/** Counts of values by their length in bits: bucket k holds those up to 2^k - 1 that are above 2^(k-1) - 1, bucket 0 the zeros (operations.md §8.1). */

const buckets = 64;
/** Most histograms hold small values alone: there is room for them at first, and it doubles. */
const bucketsAtFirst = 8;

export class Log2Histogram {
  private counts = new Uint32Array(bucketsAtFirst);
  total = 0;
  maximum = 0;

  /** `value` is a whole number, not negative. */
  add(value: number): void {
    const bucket = bucketOf(value);
    if (bucket >= this.counts.length) this.grow(bucket);
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.total++;
    if (value > this.maximum) this.maximum = value;
  }

  /** The upper bound of the bucket in which the value of that rank lies, never above the maximum; 0 without values. */
  quantile(share: number): number {
    if (this.total === 0) return 0;
    return Math.min(boundOf(this.bucketAt(share)), this.maximum);
  }

  /** The bucket in which the value of that rank lies; 0 without values. */
  bucketAt(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.total));
    let seen = 0;
    for (let bucket = 0; bucket < this.counts.length; bucket++) {
      seen += this.counts[bucket] as number;
      if (seen >= rank) return bucket;
    }
    return 0;
  }

  private grow(bucket: number): void {
    let length = this.counts.length;
    while (length <= bucket) length *= 2;
    const counts = new Uint32Array(length);
    counts.set(this.counts);
    this.counts = counts;
  }
}

export function bucketOf(value: number): number {
  if (value < 1) return 0;
  if (value < 0x1_0000_0000) return 32 - Math.clz32(value);
  return Math.min(buckets - 1, Math.floor(Math.log2(value)) + 1);
}

export function boundOf(bucket: number): number {
  return 2 ** bucket - 1;
}
