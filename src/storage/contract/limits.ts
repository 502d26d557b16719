/** Defaults and bounds of the store, in one place. */

const mib = 1 << 20;

/** What each one means stands in `StoreTuning`. */
export const storeDefaults = {
  cacheBytes: 128 * mib,
  scansFillCache: false,
  scanReadAheadBytes: 256 * 1024,
  scanFetchesMax: 4,
  flushIntervalMs: 100,
  commitDurability: 'durable',
  memtableBytes: 64 * mib,
  logFlushesBeforeFlush: 4096,
  logBytesBeforeFlush: 256 * mib,
  flushedTablesMax: 8,
  flushedTablesPerKeyMax: 8,
  flushParallelism: 4,
  unflushedBytesMax: 1024 * mib,
  filterKeysMin: 1000,
  bloomBitsPerKey: 10,
  blockBytes: 32 * 1024,
  objectCachePath: '',
  objectCacheBytes: 16 * 1024 * mib,
  objectCachePartBytes: 4 * mib,
  objectCacheOnFlush: false,
  objectCacheOnCompaction: false,
  objectCachePreload: 'none',
  /** A table of a merge is closed after so many bytes. */
  tableBytes: 64 * mib,
  /** So long without a commit, and what is due only for the sake of disk space is done. */
  idleMs: 5_000,
  /** Less than this in the memtable is left there: the log replays it in no time. */
  idleFlushBytesMin: mib,
  /** How often a reader looks for a newer state. */
  pollMs: 1_000,
} as const;

export const storeLimits = {
  keyBytesMax: 64 * 1024,
  /** All writes of one transaction, encoded: they are one record of the log. */
  recordBytesMax: 1024 * mib,
  /** Work of one time slice before other requests get their turn. */
  sliceMs: 2,
  /** And when other work takes longer than that; what it is owed beyond comes in later slices, so far. */
  sliceMsMax: 8,
  owedMsMax: 100,
  /** How long one write is held back while writes slow down. */
  delayMs: 10,
  /** How long a write waits while writes stand still before it is refused. */
  stopMs: 5_000,
  /** How often somebody who waits looks again. */
  pollMs: 20,
  /** After an opening, before its merges begin. */
  openedMs: 300,
  /** After a merge found no room. */
  noRoomMs: 5_000,
  /** After a remote place did not answer. */
  unreachableMs: 1_000,
  /** Memtables of so many bytes are written on the thread of merges. */
  handedOverBytes: 4 * mib,
  /** After the thread of a merge was lost; and how often in a row before merges go on without one. */
  threadLostMs: 500,
  threadsLostMax: 3,
  /** Share of the bottom's bytes that may lie above it when nothing goes on. */
  idleShare: 0.25,
  /** Room that an opening needs: a claim, a manifest, the first segment of the log. */
  openingBytes: 2 * mib,
  /** A write of this size must find room, or the place counts as full; */
  usualWriteBytes: 4 * 1024,
  /** and one that was refused, up to this size: larger ones may never fit, while all others do. */
  refusedWriteBytesMax: 8 * mib,
  /** How often the files of all tables are looked for, and how many of them in one go. */
  surveyMs: 20_000,
  surveyAtOnce: 256,
  pins: {
    /** A pin that has been behind the newest manifest for so long is nobody's: its reader may miss a table. */
    expiryMs: 60 * 60_000,
    /** Nothing is published for the sake of a reader that has been behind for so long. */
    awayMs: 10 * 60_000,
  },
  /** In a bucket, at most one manifest in such a time, while nothing presses. */
  publishIntervalMs: 1_000,
  /** While there are readers, what is committed is published so often. */
  checkpointMs: 1_000,
  /** How often an idle writer looks whether a reader has come. */
  lonelyMs: 5_000,
  /** What has just been asked, or written to, need not be asked whether it is there. */
  observedMs: 2_000,
  /** Told to clients that were refused. */
  retryAfterSeconds: 1,
} as const;
