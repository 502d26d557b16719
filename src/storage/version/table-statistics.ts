/** Statistics of SSTables, runs and caches that every kind of store reports. */

import type { CachePool } from '../cache/cache-pool.ts';
import type {
  CacheStatistics,
  RunStatistics,
  StoreStatistics,
  TableDamage,
} from '../contract/statistics.ts';
import { levels } from '../manifest/levels.ts';
import { prefixes } from '../object/names.ts';
import { type HeldTable, type OpenRun, tablesOf } from './open-run.ts';
import type { TableFiles } from './table-files.ts';

const nothingWritten = {
  commits: { commits: 0, conflicts: 0, writes: 0, writtenBytes: 0 },
  log: { records: 0, payloadBytes: 0, groups: 0, writtenBytes: 0, segments: 0 },
  flush: { flushes: 0, flushedBytes: 0 },
  compaction: {
    jobs: 0,
    inputEntries: 0,
    outputEntries: 0,
    outputBytes: 0,
    active: 0,
    threadsLost: 0,
    damaged: [],
  },
  pressure: { delayed: 0, stopped: 0, refused: 0 },
  memtables: { count: 0, bytes: 0, writtenBytes: 0 },
  writeAmplification: 0,
} as const;

/** Returns the statistics of a read-only store. */
export function statisticsOfTables(
  files: TableFiles,
  runs: readonly OpenRun[],
  views: number,
): StoreStatistics {
  return {
    ...nothingWritten,
    damaged: damagedOf(files, runs),
    dataCache: cacheStatistics(files.cache.data),
    metadataCache: cacheStatistics(files.cache.metadata),
    runs: runStatistics(runs),
    views,
    objects: undefined,
    mergeObjects: undefined,
    requests: undefined,
    garbage: undefined,
    objectCache: undefined,
  };
}

/** Returns the damage of SSTables that are still needed, and of manifests, which is recorded only for restored ones. */
export function damagedOf(files: TableFiles, runs: readonly OpenRun[]): readonly TableDamage[] {
  const { damaged } = files;
  if (damaged.isEmpty) return [];
  const names = new Set(runs.flatMap(tablesOf).map(({ table }) => table.entry.name));
  return damaged.among((name) => names.has(name) || name.startsWith(prefixes.manifest));
}

export function runStatistics(runs: readonly OpenRun[]): readonly RunStatistics[] {
  return runs.flatMap(({ level, tables, past }) => {
    const all = past === undefined ? [] : [sizeOf(levels.past, past.tables)];
    return tables.length === 0 ? all : [sizeOf(level, tables), ...all];
  });
}

function sizeOf(level: number, tables: readonly HeldTable[]): RunStatistics {
  return {
    level,
    tables: tables.length,
    entries: tables.reduce((sum, { table }) => sum + table.entry.entries, 0),
    bytes: tables.reduce((sum, { table }) => sum + table.entry.bytes, 0),
  };
}

export function cacheStatistics(pool: CachePool): CacheStatistics {
  const { hits, misses, inserts, evictions, entries, usedBytes, capacityBytes } = pool;
  return { hits, misses, inserts, evictions, entries, usedBytes, capacityBytes };
}
