/**
 * Counters of the store: plain fields that are read on request. Bytes and entries count from the
 * opening of the store.
 */

import type { ComponentRequests } from '../object/component-requests.ts';
import type { GarbageStatistics } from '../object/garbage-collector.ts';
import type { ObjectStatistics } from '../object/request-counts.ts';
import type { ObjectCacheStatistics } from '../object-cache/options.ts';

export interface LaneCounters {
  commits: number;
  conflicts: number;
  writes: number;
  writtenBytes: number;
}

/** Plain fields, read at each scrape of the metrics. */
export interface LogCounters {
  records: number;
  payloadBytes: number;
  groups: number;
  writtenBytes: number;
  /** Retained segments, or objects in a bucket. */
  segments: number;
}

export interface FlushCounters {
  flushes: number;
  flushedBytes: number;
}

export interface CompactionTotals {
  jobs: number;
  inputEntries: number;
  outputEntries: number;
  outputBytes: number;
}

export interface PressureCounters {
  delayed: number;
  stopped: number;
  refused: number;
}

export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly inserts: number;
  readonly evictions: number;
  readonly entries: number;
  readonly usedBytes: number;
  readonly capacityBytes: number;
}

/** Levels: 0 for flushed SSTables, 1 and 2 for compacted runs, 3 for past runs. */
export interface RunStatistics {
  readonly level: number;
  readonly tables: number;
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Damage of an SSTable or a manifest. `missing`: the file does not exist. `restored`: the file was
 * missing, and this process has written it again. `StorageFault` describes the other kinds.
 */
export interface TableDamage {
  /** Name of the SSTable, or of a manifest if the kind is `restored`. */
  readonly table: string;
  readonly kind: 'missing' | 'corrupt' | 'format' | 'io' | 'restored';
  /** The problem, and the reason if it cannot be repaired. */
  readonly detail: string;
}

export interface StoreStatistics {
  readonly commits: Readonly<LaneCounters>;
  readonly log: Readonly<LogCounters>;
  readonly flush: Readonly<FlushCounters>;
  readonly compaction: Readonly<CompactionTotals> & {
    readonly active: number;
    /** Number of compactions whose thread died. Each of these compactions was repeated. */
    readonly threadsLost: number;
    /** SSTables that a compaction could not read, and that are excluded from compaction. */
    readonly damaged: readonly string[];
  };
  /** SSTables that could not be read, whose files are missing, or that had to be written again. */
  readonly damaged: readonly TableDamage[];
  /** The reason why the directory cannot be locked, so that only epochs protect it; absent if it is locked or needs no lock. */
  readonly lockUnavailable?: string | undefined;
  readonly pressure: Readonly<PressureCounters>;
  readonly dataCache: CacheStatistics;
  readonly metadataCache: CacheStatistics;
  readonly memtables: {
    readonly count: number;
    readonly bytes: number;
    /** Bytes of the keys and values of all commits so far. */
    readonly writtenBytes: number;
  };
  /**
   * Bytes written to the log, by flushes and by compactions, per byte of a commit; 0 before the
   * first commit.
   */
  readonly writeAmplification: number;
  /** The newest sorted run is first. */
  readonly runs: readonly RunStatistics[];
  /** Number of open views. */
  readonly views: number;
  /** Requests to a remote store, without those of compactions on another thread. */
  readonly objects: ObjectStatistics | undefined;
  /**
   * Requests of those compactions, as of the last time that their thread began or finished an
   * SSTable.
   */
  readonly mergeObjects: ObjectStatistics | undefined;
  /** `objects` and `mergeObjects` together, by component and by part of the store. */
  readonly requests: readonly ComponentRequests[] | undefined;
  /** Deleted and waiting garbage; `undefined` if the store is read-only. */
  readonly garbage: GarbageStatistics | undefined;
  /** Parts of remote SSTables on the local disk. */
  readonly objectCache: ObjectCacheStatistics | undefined;
}
