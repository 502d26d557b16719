/**
 * The time that one read of a remote object takes. The classes are coarse and change slowly,
 * because query plans depend on them.
 */

/**
 * The microseconds of a class are a power of two. Until enough reads have been measured, a bucket
 * is assumed to respond in 33 ms.
 */
const assumedExponent = 15;
/** Reads before the first measured class, and the number of reads that the mean covers. */
const readsMin = 16;
const window = 64;

export class ReadLatency {
  private exponent = assumedExponent;
  private reads = 0;
  /** Mean of the logarithm of the microseconds, which a single stalled read hardly changes. */
  private mean = 0;

  /** Adds the duration of a successful read. */
  add(ms: number): void {
    const bits = Math.log2(Math.max(1, ms * 1_000));
    this.reads++;
    this.mean += (bits - this.mean) / Math.min(this.reads, window);
    if (this.reads < readsMin) return;
    // A class covers times of (half of it, it], and stays while the mean is in one of the
    // neighboring classes.
    const isOther = this.mean > this.exponent + 1 || this.mean <= this.exponent - 2;
    if (isOther) this.exponent = Math.ceil(this.mean);
  }

  /** Microseconds of the current class. */
  get micros(): number {
    return 2 ** this.exponent;
  }
}

/** The class of a remote storage location that does not measure its reads. */
export const assumedReadMicros = 2 ** assumedExponent;
