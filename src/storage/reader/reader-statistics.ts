/** The counts of a store that is read only: caches and runs; nothing is written. */

import {
  cacheStatistics,
  damagedOf,
  runStatistics,
  type StoreStatistics,
} from '../assembly/statistics.ts';
import type { OpenRun } from '../version/open-run.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { Follower } from './follower.ts';
import type { ReaderPlace } from './reader-place.ts';

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

export function readerStatistics(
  follower: Follower,
  files: TableFiles,
  { requests, objectCache }: Pick<ReaderPlace, 'requests' | 'objectCache'>,
): StoreStatistics {
  return {
    ...statisticsOfTables(files, follower.current.runs, follower.views),
    objects: requests?.(),
    objectCache: objectCache?.statistics(),
  };
}

/** Of tables that are read only. */
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
    objectCache: undefined,
  };
}
