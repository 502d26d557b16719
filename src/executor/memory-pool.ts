/** The memory of all programs together. A part of it is kept for short ones, so that point reads go on beside any number of large programs. */

import { fail } from '#failure';

export class MemoryPool {
  readonly limitBytes: number;
  /** Kept for short programs. */
  readonly reserveBytes: number;
  usedBytes = 0;
  peakBytes = 0;
  /** How often it was asked in vain. */
  refused = 0;

  constructor(limitBytes: number, reserveBytes: number) {
    this.limitBytes = limitBytes;
    this.reserveBytes = reserveBytes;
  }

  /** Takes `bytes`; a failure, and nothing taken, when there are not so many. */
  draw(bytes: number, isShort: boolean): Error | undefined {
    if (this.usedBytes + bytes > this.mostFor(isShort)) {
      this.refused++;
      return exhausted(this.limitBytes);
    }
    this.usedBytes += bytes;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    return undefined;
  }

  /** What one program could have if it were alone. */
  mostFor(isShort: boolean): number {
    return isShort ? this.limitBytes : this.limitBytes - this.reserveBytes;
  }

  refill(bytes: number): void {
    this.usedBytes -= bytes;
  }
}

function exhausted(limitBytes: number): Error {
  const mebibytes = Math.floor(limitBytes / 2 ** 20);
  return fail(
    'overloaded',
    `all programs together hold as much memory as they may (--memory-mib, ${mebibytes} MiB); try again later`,
    { retryAfterSeconds: 1 },
  );
}
