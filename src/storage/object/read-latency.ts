/** The time that one read of a remote object takes, in classes that are coarse and slow to change: plans are made with it. */

/** Microseconds of a class are a power of two. Until enough reads have been measured, a bucket counts as one that answers in 33 ms. */
const assumedExponent = 15;
/** Reads before the first class that is measured, and how many the mean looks back. */
const readsMin = 16;
const window = 64;

export class ReadLatency {
  private exponent = assumedExponent;
  private reads = 0;
  /** Of the logarithm of microseconds: one read that hangs moves it by little. */
  private mean = 0;

  /** A read has ended well. */
  add(ms: number): void {
    const bits = Math.log2(Math.max(1, ms * 1_000));
    this.reads++;
    this.mean += (bits - this.mean) / Math.min(this.reads, window);
    if (this.reads < readsMin) return;
    // A class holds times of (half of it, it], and stays for those of the next class on either side.
    const isOther = this.mean > this.exponent + 1 || this.mean <= this.exponent - 2;
    if (isOther) this.exponent = Math.ceil(this.mean);
  }

  /** The class. */
  get micros(): number {
    return 2 ** this.exponent;
  }
}

/** The class of a remote place that measures nothing. */
export const assumedReadMicros = 2 ** assumedExponent;
