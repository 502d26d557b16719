/** Defaults and bounds of the store, in one place. */

const mib = 1 << 20;

export const storeDefaults = {
  /** Blocks and metadata of tables in memory. */
  cacheBytes: 128 * mib,
  /** A memtable of this size is flushed. */
  memtableBytes: 64 * mib,
  /** Memory of all memtables together, beyond which writes stop. */
  unflushedBytesMax: 1024 * mib,
  /** Log written since the last flush beyond which a memtable is flushed whatever its size: bounds the replay of an opening. */
  logBytesBeforeFlush: 256 * mib,
  /** An encoded block. */
  blockBytes: 32 * 1024,
  /** Flushed tables beyond which writes slow down, and twice as many stop them. */
  flushedRunsMax: 8,
  /** A table of a merge is closed after so many bytes. */
  tableBytes: 64 * mib,
  /** So long without a commit, and what is due only for the sake of disk space is done. */
  idleMs: 5_000,
  /** Less than this in the memtable is left there: the log replays it in no time. */
  idleFlushBytesMin: mib,
  /** In a bucket: the longest that a group of the log gathers. */
  flushIntervalMs: 100,
  bloomBitsPerKey: 10,
  filterKeysMin: 1000,
} as const;

export const storeLimits = {
  keyBytesMax: 64 * 1024,
  /** Work of one time slice before other requests get their turn. */
  sliceMs: 2,
  /** How long one write is held back while writes slow down. */
  delayMs: 10,
  /** How long a write waits while writes stand still before it is refused. */
  stopMs: 5_000,
  /** How often somebody who waits looks again. */
  pollMs: 20,
  /** After a merge found no room. */
  noRoomMs: 5_000,
  /** Share of the bottom's bytes that may lie above it when nothing goes on. */
  idleShare: 0.25,
  pins: {
    /** A pin that has been behind the newest manifest for so long is nobody's: its reader may miss a table. */
    expiryMs: 60 * 60_000,
    /** Nothing is published for the sake of a reader that has been behind for so long. */
    awayMs: 10 * 60_000,
  },
  /** In a bucket, at most one manifest in such a time, while nothing presses. */
  publishIntervalMs: 1_000,
  /** Told to clients that were refused. */
  retryAfterSeconds: 1,
} as const;
