/** Bounds of a store in a bucket. */

export const bucketLimits = {
  /** So often an object is sent before its writer gives up: some ten minutes without a clear answer. */
  createAttemptsMax: 130,
  retryMs: 50,
  retryMsMax: 5_000,
  /** Log objects that an opening gets ahead of their turn, while they have less than so many bytes together. */
  readAhead: 16,
  readAheadBytes: 32 << 20,
  /** A group of so many bytes is sent without waiting for more. */
  groupBytesEnough: 8 << 20,
} as const;
