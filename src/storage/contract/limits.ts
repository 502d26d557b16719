/** Defaults and bounds of the store, in one place. */

const mib = 1 << 20;

/** Defaults of the options. `StoreTuning` describes each of them. */
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
  /** Size in bytes at which a compaction closes an SSTable. */
  tableBytes: 64 * mib,
  /** Time without a commit after which the store does the work that only saves disk space. */
  idleMs: 5_000,
  /**
   * A smaller memtable is not flushed when the store is idle, because the log replays it quickly.
   */
  idleFlushBytesMin: mib,
  /** Interval at which a reader checks for a newer state. */
  pollMs: 1_000,
  /** Memory of the writes of one transaction above which they are written to disk. */
  writeShareBytes: 16 * mib,
} as const;

export const storeLimits = {
  keyBytesMax: 64 * 1024,
  /** Bound on all writes of one transaction, encoded: they form one record of the log. */
  recordBytesMax: 1024 * mib,
  /**
   * Maximum number of temporary SSTables that the writes of one transaction fill. Whenever
   * `joinedRuns` of them have been added, they are merged into one.
   */
  runsMax: 256,
  joinedRuns: 32,
  /** Maximum size of such an SSTable: offsets in it have 32 bits. */
  joinedBytesMax: 2048 * mib,
  /** Cache for blocks of temporary SSTables. */
  runCacheBytes: 8 * mib,
  /** Length in milliseconds of one time slice of work before other requests run. */
  sliceMs: 2,
  /**
   * Longest time slice. A slice is longer than `sliceMs` if other work took longer than that. Later
   * slices make up the rest, of which at most `owedMsMax` is counted.
   */
  sliceMsMax: 8,
  owedMsMax: 100,
  /** Delay of one write while writes are slowed down. */
  delayMs: 10,
  /** Time that a write waits while writes are stopped, before it is refused. */
  stopMs: 5_000,
  /** Interval at which a waiting write checks the pressure again. */
  pollMs: 20,
  /** Time between the opening of the store and its first compaction. */
  openedMs: 300,
  /** Pause after a flush or compaction has failed because the device is full. */
  noRoomMs: 5_000,
  /** Pause after a remote storage location did not respond. */
  unreachableMs: 1_000,
  /** Memtables of at least this size are written by the compaction thread. */
  handedOverBytes: 4 * mib,
  /**
   * `threadLostMs` is the pause after the compaction thread was lost. After `threadsLostMax` losses
   * in a row, the thread of the store does the compactions.
   */
  threadLostMs: 500,
  threadsLostMax: 3,
  /**
   * Bytes above the bottom level that an idle store tolerates, as a share of the bytes of the
   * bottom level.
   */
  idleShare: 0.25,
  /** Space that an opening needs: an epoch claim, a manifest and the first segment of the log. */
  openingBytes: 2 * mib,
  /** A storage location counts as full if a write of this size does not fit. */
  usualWriteBytes: 4 * 1024,
  /**
   * A storage location also counts as full if a refused write does not fit, up to this size. A
   * larger write might never fit, although all others do.
   */
  refusedWriteBytesMax: 8 * mib,
  /**
   * `surveyMs` is the interval at which the store checks that the files of all SSTables exist. The
   * check yields after every `surveyAtOnce` of them.
   */
  surveyMs: 20_000,
  surveyAtOnce: 256,
  pins: {
    /**
     * A pin that has been behind the newest manifest for this long belongs to no client: its reader
     * may find that an SSTable is missing.
     */
    expiryMs: 60 * 60_000,
    /** The writer publishes nothing for a reader that has been behind for this long. */
    awayMs: 10 * 60_000,
  },
  /** Shortest time between two manifests in a bucket, unless a publication is urgent. */
  publishIntervalMs: 1_000,
  /** Interval at which commits are published while readers follow the store. */
  checkpointMs: 1_000,
  /** Interval at which an idle writer without readers checks whether a reader follows the store. */
  lonelyMs: 5_000,
  /** A storage location that was read or written this recently is not checked again. */
  observedMs: 2_000,
  /** Value of `retry-after` in the error of a refused write. */
  retryAfterSeconds: 1,
} as const;
