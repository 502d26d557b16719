/**
 * Counts of values by their length in bits (docs/statistics.md). Bucket 0 counts zeros, and bucket k counts the values from 2^(k-1) to 2^k
 * - 1.
 */

const buckets = 64;
/** Initial number of buckets, which doubles on demand. Most histograms contain only small values. */
const bucketsAtFirst = 8;

/** A histogram as plain data that can be sent to another thread: counts by bucket, and the largest value. */
export interface Log2Counts {
  readonly counts: readonly number[];
  readonly maximum: number;
}

export class Log2Histogram {
  private counts = new Uint32Array(bucketsAtFirst);
  total = 0;
  maximum = 0;

  /** Returns a histogram with the counts of another one. */
  static of({ counts, maximum }: Log2Counts): Log2Histogram {
    const histogram = new Log2Histogram();
    if (counts.length > 0) histogram.grow(Math.min(buckets, counts.length) - 1);
    for (const [bucket, count] of counts.slice(0, buckets).entries()) {
      histogram.counts[bucket] = count;
      histogram.total += count;
    }
    histogram.maximum = maximum;
    return histogram;
  }

  /** Counts `value`, a non-negative integer. */
  add(value: number): void {
    const bucket = bucketOf(value);
    if (bucket >= this.counts.length) this.grow(bucket);
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.total++;
    if (value > this.maximum) this.maximum = value;
  }

  /** Returns the upper bound of the bucket that contains this quantile, at most the maximum; 0 without values. */
  quantile(share: number): number {
    if (this.total === 0) return 0;
    return Math.min(boundOf(this.bucketAt(share)), this.maximum);
  }

  /** Returns the bucket that contains this quantile; 0 without values. */
  bucketAt(share: number): number {
    return bucketOfRank(this.counts, Math.max(1, Math.ceil(share * this.total)));
  }

  /** A copy of the current counts. */
  get spread(): Log2Counts {
    return { counts: [...this.counts], maximum: this.maximum };
  }

  private grow(bucket: number): void {
    let length = this.counts.length;
    while (length <= bucket) length *= 2;
    const counts = new Uint32Array(length);
    counts.set(this.counts);
    this.counts = counts;
  }
}

/** Returns the sum of several histograms. */
export function sumOfSpreads(all: readonly Log2Counts[]): Log2Counts {
  const counts: number[] = [];
  let maximum = 0;
  for (const spread of all) {
    for (const [bucket, count] of spread.counts.entries()) {
      counts[bucket] = (counts[bucket] ?? 0) + count;
    }
    maximum = Math.max(maximum, spread.maximum);
  }
  return { counts, maximum };
}

/** Returns the same as `Log2Histogram.quantile`; `undefined` without values. */
export function quantileOf({ counts, maximum }: Log2Counts, share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const bucket = bucketOfRank(counts, Math.max(1, Math.ceil(share * total)));
  return Math.min(boundOf(bucket), maximum);
}

function bucketOfRank(counts: ArrayLike<number>, rank: number): number {
  let seen = 0;
  for (let bucket = 0; bucket < counts.length; bucket++) {
    seen += counts[bucket] as number;
    if (seen >= rank) return bucket;
  }
  return 0;
}

export function bucketOf(value: number): number {
  if (value < 1) return 0;
  if (value < 0x1_0000_0000) return 32 - Math.clz32(value);
  return Math.min(buckets - 1, Math.floor(Math.log2(value)) + 1);
}

export function boundOf(bucket: number): number {
  return 2 ** bucket - 1;
}
