/** Assembles the components of an opened store. */

import { columnValues } from '../columns/column-codec.ts';
import {
  type CompactionOptions,
  checkCompactionOptions,
  compactionDefaults,
} from '../compaction/options.ts';
import { storeLimits } from '../contract/limits.ts';
import { Background } from '../maintenance/background.ts';
import { Compactor } from '../maintenance/compactor.ts';
import { Flusher } from '../maintenance/flusher.ts';
import { Ingester } from '../maintenance/ingester.ts';
import { Pressure } from '../maintenance/pressure.ts';
import { PublishPace } from '../maintenance/publish-pace.ts';
import { Publisher } from '../maintenance/publisher.ts';
import { TransactionRunSpace } from '../maintenance/run-space.ts';
import { TableMaker } from '../maintenance/table-maker.ts';
import { TableSurvey } from '../maintenance/table-survey.ts';
import type { Durable } from '../manifest/durable.ts';
import { LocalExecutor } from '../merge/local-executor.ts';
import type { MergeExecutor } from '../merge/merge-job.ts';
import type { StorageLocation } from '../place/location.ts';
import type { CompleteOptions } from '../place/options.ts';
import { spaceReserve } from '../place/space-reserve.ts';
import { tableDefaults } from '../table/table-options.ts';
import { CommitQueue } from '../transaction/commit-queue.ts';
import { WriteHistory } from '../transaction/write-history.ts';
import { LiveSequences } from '../version/live-sequences.ts';
import { TableFiles } from '../version/table-files.ts';
import type { VersionSet } from '../version/version-set.ts';
import { LsmStore } from './lsm-store.ts';
import { StoreMemory } from './store-memory.ts';

interface OpenedParts {
  readonly place: StorageLocation;
  readonly durable: Durable;
  readonly versions: VersionSet;
  readonly files: TableFiles;
  readonly options: CompleteOptions;
}

export function assembleStore(opened: OpenedParts): LsmStore {
  const { durable, versions, options } = opened;
  const { world } = options;
  const { log } = durable;
  const candidates = new LiveSequences();
  const live = new LiveSequences();
  const workers = workersOf(opened, live);
  const memory = new StoreMemory(versions, opened.files);
  const commitQueue = new CommitQueue(
    {
      log,
      clock: world.clock,
      history: new WriteHistory(log.last),
      candidates,
      scheduler: world.scheduler,
      memory,
      acknowledgesEarly: options.commitDurability === 'memory',
    },
    log.last,
  );
  const failed = (error: Error) => commitQueue.poison(error);
  const space = runSpaceOf(opened, workers.merger, commitQueue);
  const background = new Background({ ...workers, world, versions, log, live, options, failed });
  memory.background = background;
  const ingester = new Ingester({
    ...workers,
    log,
    versions,
    counters: workers.flusher.counters,
    settled: async () => {
      await candidates.allRemoved();
      // A long commit leaves the candidates before its writes are in the memtable.
      await commitQueue.held;
    },
    released: () => background.bottomReleased(),
    failed,
  });
  const writePressure = new Pressure(options, background, world);
  const survey = surveyOf(opened, workers.compactor);
  background.start();
  survey.start();
  return new LsmStore({
    ...opened,
    world,
    ...workers,
    ingester,
    commitQueue,
    candidates,
    live,
    background,
    survey,
    writePressure,
    space,
  });
}

/**
 * Returns the space for writes that memory does not hold: temporary objects in a directory, or on the disk of this machine if the store is in a
 * bucket.
 */
function runSpaceOf(
  { place, durable, versions, files, options }: OpenedParts,
  merger: TableMaker,
  commitQueue: CommitQueue,
): TransactionRunSpace | undefined {
  const { world, areaOf, codecs, writeShareBytes } = options;
  const temporary = place.kind === 'bucket' ? place.temporary : { objects: durable.objects };
  if (temporary === undefined) return undefined;
  const { objects } = temporary;
  const site = new LocalExecutor({ world, objectsOf: () => objects, codecs });
  return new TransactionRunSpace({
    place: {
      ...temporary,
      ...(place.kind === 'bucket' ? { site } : { freeBytes: place.freeBytes }),
      reserveBytes: spaceReserve(options),
    },
    merger,
    versions,
    runFiles: new TableFiles({ ...options, objects, cacheBytes: storeLimits.runCacheBytes }),
    files,
    areaOf,
    random: world.random,
    shareBytes: writeShareBytes,
    newStretch: () => commitQueue.newStretch(),
  });
}

function surveyOf({ durable, versions, files, options }: OpenedParts, compactor: Compactor) {
  return new TableSurvey({
    world: options.world,
    versions,
    objects: durable.objects,
    damaged: files.damaged,
    isOurs: async () =>
      (await durable.observe()) === undefined && durable.log.isThere?.() !== false,
    restoreManifest: () => durable.restoreManifest(),
    found: (table) => compactor.found(table),
  });
}

function workersOf(opened: OpenedParts, live: LiveSequences) {
  const { durable, versions, files, options } = opened;
  const { world, tableBytes } = options;
  const { log } = durable;
  const { blockBytes, bloomBitsPerKey, filterKeysMin } = options;
  const { blockRowsMax } = tableDefaults;
  const table = { blockBytes, blockRowsMax, bloomBitsPerKey, filterKeysMin };
  const oldestView = () => live.oldest;
  const pace = new PublishPace({
    world,
    intervalMs: durable.publishIntervalMs,
    presses: () => versions.frozen.length > 1 || versions.flushedRuns > options.flushedTablesMax,
  });
  const { keptKeys } = options;
  const publisher = new Publisher({ durable, versions, files, oldestView, pace, keptKeys });
  const snapshots = () => live.distinct();
  const sites = sitesOf(opened);
  const merger = new TableMaker({ versions, publisher, table, tableBytes, snapshots, ...sites });
  const compactor = new Compactor({
    ...{ versions, merger, publisher },
    options: compactionOptions(options),
    known: files.damaged,
  });
  const flusher = new Flusher({
    log,
    versions,
    merger,
    publisher,
    garbage: files.garbage,
    options,
  });
  return { publisher, merger, compactor, flusher };
}

/**
 * Selects the executors of compactions. A worker thread encodes values with the standard column codec only, so a store with other codecs
 * runs compactions locally.
 */
function sitesOf({
  place,
  durable,
  options,
}: OpenedParts): Record<'local' | 'remote', MergeExecutor> {
  const { world, codecs } = options;
  const objectsOf = place.objectsOf ?? (() => durable.objects);
  const local = new LocalExecutor({ world, objectsOf, codecs });
  const isAlike = codecs === columnValues;
  const remote = isAlike ? place.otherThread?.(world.scheduler) : undefined;
  return { local, remote: remote ?? local };
}

/** Maximum number of output SSTables of a compaction into the bottom level. Another compaction continues where it stopped. */
const tablesOfJob = 4;

function compactionOptions(options: CompleteOptions): CompactionOptions {
  const flushedStop = Math.min(options.flushedTablesMax, options.flushedTablesPerKeyMax);
  const complete = {
    ...compactionDefaults,
    flushedMin: Math.min(compactionDefaults.flushedMin, flushedStop),
    flushedStop,
    jobBytes: options.tableBytes * tablesOfJob,
  };
  checkCompactionOptions(complete);
  return complete;
}
