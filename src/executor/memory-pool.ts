/**
 * The memory of all programs together. A part of it is reserved for short programs, so that point reads continue while any number of large
 * programs run.
 */

import { fail } from '#failure';

export class MemoryPool {
  readonly limitBytes: number;
  /** Bytes that only short programs may reserve. */
  readonly reserveBytes: number;
  usedBytes = 0;
  peakBytes = 0;
  /** Number of reservations that failed. */
  refused = 0;

  constructor(limitBytes: number, reserveBytes: number) {
    this.limitBytes = limitBytes;
    this.reserveBytes = reserveBytes;
  }

  /** Reserves `bytes`. Returns a failure, with nothing reserved, if fewer bytes are free. */
  draw(bytes: number, isShort: boolean): Error | undefined {
    if (this.usedBytes + bytes > this.mostFor(isShort)) {
      this.refused++;
      return exhausted(this.limitBytes);
    }
    this.usedBytes += bytes;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    return undefined;
  }

  /** Returns the most that one program could reserve if no other program ran. */
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
    `all programs together have reserved all of their memory (--memory-mib, ${mebibytes} MiB); try again later`,
    { retryAfterSeconds: 1 },
  );
}
