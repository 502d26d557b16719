/** What the store counts of itself: plain fields, read when somebody asks. Bytes and entries since the store was opened. */

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

/** Plain fields, read when somebody scrapes. */
export interface LogCounters {
  records: number;
  payloadBytes: number;
  groups: number;
  writtenBytes: number;
  /** Segments, or objects, that are kept. */
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

export interface RunStatistics {
  readonly level: number;
  readonly tables: number;
  readonly entries: number;
  readonly bytes: number;
}

/** `missing`: there is no such file. `restored`: it was gone, and this process has made it again. The others as in `StorageTrouble`. */
export interface TableDamage {
  /** Its name; or that of a manifest, which is `restored`. */
  readonly table: string;
  readonly kind: 'missing' | 'corrupt' | 'format' | 'io' | 'restored';
  /** What was found, and when nothing can be done about it, why not. */
  readonly detail: string;
}

export interface StoreStatistics {
  readonly commits: Readonly<LaneCounters>;
  readonly log: Readonly<LogCounters>;
  readonly flush: Readonly<FlushCounters>;
  readonly compaction: Readonly<CompactionTotals> & {
    readonly active: number;
    /** Merges whose thread died; each was done again. */
    readonly threadsLost: number;
    /** Tables that a merge could not read, and that are not merged any more. */
    readonly damaged: readonly string[];
  };
  /** Tables that could not be read, whose files are gone, or that had to be written again. */
  readonly damaged: readonly TableDamage[];
  readonly pressure: Readonly<PressureCounters>;
  readonly dataCache: CacheStatistics;
  readonly metadataCache: CacheStatistics;
  readonly memtables: {
    readonly count: number;
    readonly bytes: number;
    /** Keys and values of all commits so far. */
    readonly writtenBytes: number;
  };
  /** Bytes written to the log, to flushed tables and by merges, for each byte of a commit; 0 before the first one. */
  readonly writeAmplification: number;
  /** Newest first. */
  readonly runs: readonly RunStatistics[];
  /** Views that are open. */
  readonly views: number;
  /** Requests to a remote store, those of merges on another thread aside. */
  readonly objects: ObjectStatistics | undefined;
  /** Requests of those merges, as of the last time that their thread began or ended a table. */
  readonly mergeObjects: ObjectStatistics | undefined;
  /** Both of these together, by component and by part of the store. */
  readonly requests: readonly ComponentRequests[] | undefined;
  /** What was deleted for nobody needs it, and what waits for that; undefined where nothing is written. */
  readonly garbage: GarbageStatistics | undefined;
  /** Parts of remote tables on the local disk. */
  readonly objectCache: ObjectCacheStatistics | undefined;
}
