/** Plain counts of what the store has done and holds, read when somebody asks. Bytes and entries since it was opened. */

import type { CachePool } from '../cache/cache-pool.ts';
import type { LogCounters } from '../log/log.ts';
import type { CompactionTotals, Compactor } from '../maintenance/compactor.ts';
import type { FlushCounters, Flusher } from '../maintenance/flusher.ts';
import type { Pressure, PressureCounters } from '../maintenance/pressure.ts';
import type { Merger } from '../maintenance/table-maker.ts';
import type { ObjectStatistics } from '../object/request-counts.ts';
import type { ObjectCacheStatistics } from '../object-cache/options.ts';
import type { Place } from '../place/place.ts';
import type { TableDamage } from '../table/damaged-tables.ts';
import type { CommitLane, LaneCounters, LiveSequences } from '../transaction/index.ts';
import type { OpenRun } from '../version/open-run.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { VersionSet } from '../version/version-set.ts';

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
  /** Parts of remote tables on the local disk. */
  readonly objectCache: ObjectCacheStatistics | undefined;
}

export interface StatisticsSources {
  readonly place: Place;
  readonly lane: CommitLane;
  readonly log: { readonly counters: LogCounters };
  readonly flusher: Flusher;
  readonly compactor: Compactor;
  readonly merger: Merger;
  readonly writePressure: Pressure;
  readonly files: TableFiles;
  readonly versions: VersionSet;
  readonly live: LiveSequences;
}

export function storeStatistics(sources: StatisticsSources): StoreStatistics {
  const { place, lane, log, flusher, compactor, writePressure, files, versions, live } = sources;
  return {
    commits: { ...lane.counters },
    log: { ...log.counters },
    flush: { ...flusher.counters },
    compaction: {
      ...compactor.totals,
      active: compactor.active,
      threadsLost: compactor.threadsLost,
      damaged: [...compactor.damaged],
    },
    damaged: damagedOf(files, versions.runs),
    pressure: { ...writePressure.counters },
    dataCache: cacheStatistics(files.cache.data),
    metadataCache: cacheStatistics(files.cache.metadata),
    memtables: {
      count: 1 + versions.frozen.length,
      bytes: versions.unflushedBytes,
      writtenBytes: versions.writtenBytes,
    },
    writeAmplification: writeAmplification(sources),
    runs: runStatistics(versions.runs),
    views: live.count,
    objects: place.requests?.(),
    mergeObjects: sources.merger.requests,
    objectCache: place.objectCache?.statistics(),
  };
}

/** Only those that are still needed. */
export function damagedOf(files: TableFiles, runs: readonly OpenRun[]): readonly TableDamage[] {
  const { damaged } = files;
  if (damaged.isEmpty) return [];
  const names = new Set(runs.flatMap((run) => run.tables.map(({ table }) => table.entry.name)));
  return damaged.among((table) => names.has(table));
}

function writeAmplification({ log, flusher, compactor, versions }: StatisticsSources): number {
  if (versions.writtenBytes === 0) return 0;
  const { writtenBytes } = log.counters;
  const tableBytes = flusher.counters.flushedBytes + compactor.totals.outputBytes;
  return (writtenBytes + tableBytes) / versions.writtenBytes;
}

export function runStatistics(runs: readonly OpenRun[]): readonly RunStatistics[] {
  return runs.map(({ level, tables }) => ({
    level,
    tables: tables.length,
    entries: tables.reduce((sum, { table }) => sum + table.entry.entries, 0),
    bytes: tables.reduce((sum, { table }) => sum + table.entry.bytes, 0),
  }));
}

export function cacheStatistics(pool: CachePool): CacheStatistics {
  const { hits, misses, inserts, evictions, entries, usedBytes, capacityBytes } = pool;
  return { hits, misses, inserts, evictions, entries, usedBytes, capacityBytes };
}
