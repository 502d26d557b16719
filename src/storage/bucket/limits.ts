/** Limits of a store in a bucket. */

export const bucketLimits = {
  /** Number of attempts to create an object before the writer gives up: about ten minutes without a clear response. */
  createAttemptsMax: 130,
  retryMs: 50,
  retryMsMax: 5_000,
  /**
   * Maximum number of log objects that are prefetched when the store opens. No further prefetch starts once their total size reaches
   * `readAheadBytes`.
   */
  readAhead: 16,
  readAheadBytes: 32 << 20,
  /** A log group of this size is sent without waiting for more records. */
  groupBytesEnough: 8 << 20,
} as const;
