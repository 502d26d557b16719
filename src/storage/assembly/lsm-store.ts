/** The store of a writer: views and transactions over the version set, the commit queue and the background work. */

import type { World } from '#base';
import { storeLimits } from '../contract/limits.ts';
import type { StoreStatistics } from '../contract/statistics.ts';
import type {
  Ingestion,
  KeyRange,
  RemoteReads,
  Snapshot,
  Store,
  Transaction,
  WritePressure,
} from '../contract/store.ts';
import type { Background } from '../maintenance/background.ts';
import type { Compactor } from '../maintenance/compactor.ts';
import type { Flusher } from '../maintenance/flusher.ts';
import type { Ingester } from '../maintenance/ingester.ts';
import type { Pressure } from '../maintenance/pressure.ts';
import type { TableMaker } from '../maintenance/table-maker.ts';
import type { TableSurvey } from '../maintenance/table-survey.ts';
import type { Durable } from '../manifest/durable.ts';
import { assumedReadMicros } from '../object/read-latency.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { StorageLocation } from '../place/location.ts';
import type { CommitQueue } from '../transaction/commit-queue.ts';
import type { RunSpace } from '../transaction/own-writes.ts';
import { StoreTransaction } from '../transaction/transaction.ts';
import type { LiveSequences } from '../version/live-sequences.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { VersionSet } from '../version/version-set.ts';
import { View } from '../version/view.ts';
import { storeStatistics } from './statistics.ts';
import { WriteProbe } from './write-probe.ts';

interface StoreParts {
  readonly world: World;
  readonly place: StorageLocation;
  readonly durable: Durable;
  readonly versions: VersionSet;
  readonly files: TableFiles;
  readonly flusher: Flusher;
  readonly compactor: Compactor;
  readonly merger: TableMaker;
  readonly ingester: Ingester;
  readonly commitQueue: CommitQueue;
  /** Snapshot sequences of transactions that might still be validated. */
  readonly candidates: LiveSequences;
  /** Sequences at which open views read. */
  readonly live: LiveSequences;
  readonly background: Background;
  readonly survey: TableSurvey;
  readonly writePressure: Pressure;
  /** Space for writes of transactions that memory does not hold. */
  readonly space: RunSpace | undefined;
}

function isFull(error: unknown): boolean {
  return error instanceof StorageError && error.fault.kind === 'full';
}

/** Returns the error for a storage location that exists but is not the one in which the store was opened. */
function replaced(): StorageError {
  return new StorageError({ kind: 'io', operation: 'find', object: 'the log' });
}

export class LsmStore implements Store {
  private readonly parts: StoreParts;
  private readonly witness: WriteProbe;
  private closing: Promise<void> | undefined;

  constructor(parts: StoreParts) {
    this.parts = parts;
    this.witness = new WriteProbe(parts.durable, parts.world.random);
  }

  snapshot(): Snapshot {
    return this.view();
  }

  begin(): Transaction {
    const { commitQueue, candidates, space } = this.parts;
    return new StoreTransaction({ view: this.view(), commitQueue, candidates, space });
  }

  ingest(): Ingestion {
    return this.parts.ingester.begin(this.view());
  }

  entriesIn(range: KeyRange): number {
    return this.parts.versions.current.entriesIn(range);
  }

  remoteReads(range: KeyRange): RemoteReads | undefined {
    const { place } = this.parts;
    const found = this.parts.versions.current.remoteIn(range);
    return found && { ...found, micros: place.readMicros?.() ?? assumedReadMicros };
  }

  changeOf(area: number): string {
    return this.parts.versions.areas.changeOf(area);
  }

  durable(sequence: number): Promise<void> | undefined {
    return this.parts.commitQueue.durable(sequence);
  }

  get durableSequence(): number {
    return this.parts.durable.log.durableTo;
  }

  get cacheHits(): number {
    const { data, metadata } = this.parts.files.cache;
    return data.hits + metadata.hits;
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.parts.commitQueue.turns.run(work);
  }

  get pressure(): WritePressure {
    return this.parts.writePressure.level;
  }

  admitWrite(): Promise<void> | undefined {
    return this.parts.writePressure.admit();
  }

  get poisoned(): Error | undefined {
    return this.parts.commitQueue.poisoned ?? this.parts.durable.log.poisoned;
  }

  async observe(): Promise<Error | undefined> {
    if (this.poisoned !== undefined) return this.poisoned;
    const { commitQueue } = this.parts;
    try {
      const fenced = await this.look();
      commitQueue.suspended = undefined;
      if (fenced !== undefined) commitQueue.poison(fenced);
    } catch (error) {
      // If the device is full, each write reports that itself.
      commitQueue.suspended = isFull(error) ? undefined : (error as Error);
      throw error;
    }
    return this.poisoned;
  }

  private async look(): Promise<Error | undefined> {
    const { durable } = this.parts;
    const fenced = await durable.observe();
    if (fenced !== undefined) return fenced;
    if (durable.log.isThere?.() === false) return replaced();
    await this.refuseFull();
    return undefined;
  }

  /** Throws a `full` error if writes are refused for lack of space, or if there is still no space for writes that were refused before. */
  private async refuseFull(): Promise<void> {
    const { commitQueue, durable, background, writePressure } = this.parts;
    const { usualWriteBytes, refusedWriteBytesMax } = storeLimits;
    if (writePressure.level === 'stop' && background.isFull) {
      throw new StorageError({ kind: 'full', operation: 'write', object: 'tables' });
    }
    try {
      await this.witness.write();
    } catch (error) {
      // The space that is preallocated for the log might suffice for a while.
      if (!isFull(error)) throw error;
      commitQueue.refusedBytes = Math.max(commitQueue.refusedBytes, usualWriteBytes);
    }
    if (commitQueue.refusedBytes === 0) return;
    // Smaller writes might still fit into the remaining space.
    const bytes = Math.min(commitQueue.refusedBytes, refusedWriteBytesMax);
    for (;;) {
      const room = durable.log.room?.(bytes);
      if (room === undefined) break;
      await room;
    }
    commitQueue.refusedBytes = 0;
  }

  statistics(): StoreStatistics {
    return storeStatistics({ ...this.parts, log: this.parts.durable.log });
  }

  /** Resolves when no background work is due. */
  idle(): Promise<void> {
    return this.parts.background.idle();
  }

  /** Flushes all memtables and compacts everything into one sorted run, so that the store occupies little more than its data. */
  tidy(): Promise<void> {
    return this.parts.background.tidy();
  }

  close(): Promise<void> {
    this.closing ??= this.shut();
    return this.closing;
  }

  private async shut(): Promise<void> {
    const { background, survey, durable, versions, place, commitQueue } = this.parts;
    commitQueue.isClosed = true;
    await commitQueue.held;
    try {
      await Promise.all([background.stop(), survey.stop()]);
      await durable.close();
    } finally {
      versions.close();
      place.close();
    }
  }

  private view(): View {
    const { versions, live, commitQueue, world } = this.parts;
    return new View(versions, live, commitQueue.applied, world.scheduler);
  }
}
