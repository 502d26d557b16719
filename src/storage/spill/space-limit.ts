/** The limit of the spill files of all programs: a share of the free space of their file system, which keeps a reserve for the store. */

/** At most this share of the space that would be free without spill files is used, unless another limit is set. */
const shareOfFree = 1 / 4;
/** The free space is measured again after this many bytes were claimed, or after this share of a small reserve. */
const claimedBytesMax = 8 << 20;
const shareOfReserve = 1 / 4;

export interface SpaceLimits {
  /** Maximum bytes of all files together; a quarter of the free space if undefined. */
  readonly limitBytes: number | undefined;
  /** Bytes of the file system that always stay free; 0 if absent. */
  readonly reserveBytes?: number | undefined;
  /** Returns the free bytes of the file system; if absent, only `limitBytes` counts. */
  readonly freeBytes?: (() => number) | undefined;
}

export class SpaceLimit {
  private readonly limits: SpaceLimits;
  /** The limit at the last measurement. */
  private measured = Number.POSITIVE_INFINITY;
  private claimed = Number.POSITIVE_INFINITY;

  constructor(limits: SpaceLimits) {
    this.limits = limits;
  }

  /** Maximum bytes of all files together, by the last measurement. */
  get bytes(): number {
    return Math.min(this.measured, this.limits.limitBytes ?? Number.POSITIVE_INFINITY);
  }

  /** Returns whether `bytes` more fit next to `usedBytes` of spill files. Throws the error of a failed measurement. */
  admits(bytes: number, usedBytes: number): boolean {
    this.claimed += bytes;
    if (this.claimed > this.claimedMax) this.measure(usedBytes);
    if (usedBytes + bytes <= this.bytes) return true;
    // Space may have become free since the last measurement.
    this.measure(usedBytes);
    return usedBytes + bytes <= this.bytes;
  }

  private get claimedMax(): number {
    const { reserveBytes = 0 } = this.limits;
    return reserveBytes > 0
      ? Math.min(claimedBytesMax, reserveBytes * shareOfReserve)
      : claimedBytesMax;
  }

  measure(usedBytes: number): void {
    const { freeBytes, limitBytes, reserveBytes = 0 } = this.limits;
    this.claimed = 0;
    if (freeBytes === undefined) return;
    const withoutFiles = freeBytes() + usedBytes;
    const share = limitBytes ?? Math.floor(withoutFiles * shareOfFree);
    this.measured = Math.max(0, Math.min(share, withoutFiles - reserveBytes));
  }
}
