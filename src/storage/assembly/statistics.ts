/** Collects the counters and gauges of a store on request. Byte and entry counts start when the store opens. */

import type { LogCounters, StoreStatistics } from '../contract/statistics.ts';
import type { Compactor } from '../maintenance/compactor.ts';
import type { Flusher } from '../maintenance/flusher.ts';
import type { Pressure } from '../maintenance/pressure.ts';
import type { TableMaker } from '../maintenance/table-maker.ts';
import type { Durable } from '../manifest/durable.ts';
import { joinRequests, requestsOfAll } from '../object/component-requests.ts';
import type { StorageLocation } from '../place/location.ts';
import type { CommitQueue } from '../transaction/commit-queue.ts';
import type { LiveSequences } from '../version/live-sequences.ts';
import type { TableFiles } from '../version/table-files.ts';
import { cacheStatistics, damagedOf, runStatistics } from '../version/table-statistics.ts';
import type { VersionSet } from '../version/version-set.ts';

interface StatisticsSources {
  readonly place: StorageLocation;
  readonly durable: Pick<Durable, 'obsoleteTables'>;
  readonly commitQueue: CommitQueue;
  readonly log: { readonly counters: LogCounters };
  readonly flusher: Flusher;
  readonly compactor: Compactor;
  readonly merger: TableMaker;
  readonly writePressure: Pressure;
  readonly files: TableFiles;
  readonly versions: VersionSet;
  readonly live: LiveSequences;
}

export function storeStatistics(sources: StatisticsSources): StoreStatistics {
  const { place, commitQueue, log, flusher, compactor, writePressure, files, versions, live } =
    sources;
  const here = place.requests?.();
  const elsewhere = sources.merger.requests;
  return {
    commits: { ...commitQueue.counters },
    log: { ...log.counters },
    flush: { ...flusher.counters },
    compaction: {
      ...compactor.totals,
      active: compactor.active,
      threadsLost: compactor.threadsLost,
      damaged: [...compactor.damaged],
    },
    damaged: damagedOf(files, versions.openRuns),
    lockUnavailable: place.unenforced,
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
    objects: requestsOfAll(here),
    mergeObjects: requestsOfAll(elsewhere),
    requests: here && joinRequests(here, elsewhere ?? []),
    garbage: sources.durable.obsoleteTables.statistics,
    objectCache: place.objectCache?.statistics(),
  };
}

function writeAmplification({ log, flusher, compactor, versions }: StatisticsSources): number {
  if (versions.writtenBytes === 0) return 0;
  const { writtenBytes } = log.counters;
  const tableBytes = flusher.counters.flushedBytes + compactor.totals.outputBytes;
  return (writtenBytes + tableBytes) / versions.writtenBytes;
}
