/**
 * A store on a full device. The store can be read in the state that its last writer left, refuses writes, and delegates to a fully opened store
 * once there is space. The store makes no epoch claim before that, so its state can be older than that of another writer, as with a reader. If
 * the storage location is locked, no other writer exists.
 */

import type { Scheduler } from '#base';
import { fail } from '#failure';
import { storeLimits } from '../contract/limits.ts';
import { fullDetail } from '../contract/no-room.ts';
import type { StoreStatistics } from '../contract/statistics.ts';
import type {
  Ingestion,
  KeyRange,
  Snapshot,
  Store,
  Transaction,
  WritePressure,
} from '../contract/store.ts';
import { highestClaim } from '../manifest/claims.ts';
import {
  loadNewestManifest,
  refuseOlderManifest,
  refuseUnknownTables,
} from '../manifest/manifest-store.ts';
import { begunIn, refuseForeign } from '../manifest/store-origin.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { SegmentLocation } from '../place/location.ts';
import type { CompleteOptions } from '../place/options.ts';
import { decodeAreas } from '../version/change-tracker.ts';
import { LiveSequences } from '../version/live-sequences.ts';
import { keptIn } from '../version/manifest-entries.ts';
import { openRecovered, replayInto } from '../version/replay-into.ts';
import { TableFiles } from '../version/table-files.ts';
import { statisticsOfTables } from '../version/table-statistics.ts';
import { VersionSet } from '../version/version-set.ts';
import { View } from '../version/view.ts';
import type { LsmStore } from './lsm-store.ts';

interface Parts {
  readonly place: SegmentLocation;
  readonly versions: VersionSet;
  readonly scheduler: Scheduler;
  readonly files: TableFiles;
  /** Sequence of the last commit that recovery found. */
  readonly sequence: number;
  /** Opens the store in the location as if nothing had been opened before. */
  readonly open: () => Promise<LsmStore>;
}

/** Opens the store for reading. Returns `undefined` if the location has never contained a store. */
export async function openWithoutRoom(
  place: SegmentLocation,
  options: CompleteOptions,
  open: () => Promise<LsmStore>,
): Promise<Store | undefined> {
  const { objects } = place;
  const newest = await loadNewestManifest(objects);
  if (newest === undefined) return undefined;
  await refuseOlderManifest(objects, newest);
  await refuseUnknownTables(objects, newest);
  await refuseForeign(objects, newest);
  const epoch = (await highestClaim(objects)) + 1;
  const versions = new VersionSet(options.areaOf);
  const files = new TableFiles({ ...options, objects });
  try {
    versions.areas.load(decodeAreas(newest.properties));
    versions.dropped.load(newest.properties);
    versions.change(await files.openRuns(newest.runs), undefined, keptIn(newest));
    const { lastRecord } = await place.logs.recover({
      epoch,
      sealedBefore: newest.epoch,
      seals: newest.seals,
      begun: begunIn(newest),
      extent: newest.log,
      boundary: newest.boundary,
      replay: (payload, record) => replayInto(versions, payload, record, options.memtableBytes),
    });
    await openRecovered(versions, files);
    const { scheduler } = options.world;
    return new StoreWithoutRoom({
      place,
      versions,
      scheduler,
      files,
      sequence: lastRecord,
      open,
    });
  } catch (error) {
    versions.close();
    throw error;
  }
}

class StoreWithoutRoom implements Store {
  private readonly parts: Parts;
  private readonly live = new LiveSequences();
  /** The fully opened store; `undefined` until there was enough space to open it. */
  private store: LsmStore | undefined;
  private failure: Error | undefined;
  private opening: Promise<void> | undefined;
  private isClosed = false;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  snapshot(): Snapshot {
    const { versions, sequence, scheduler } = this.parts;
    return this.store?.snapshot() ?? new View(versions, this.live, sequence, scheduler);
  }

  begin(): Transaction {
    if (this.store === undefined) throw noRoom();
    return this.store.begin();
  }

  ingest(): Ingestion | undefined {
    return this.store?.ingest();
  }

  entriesIn(range: KeyRange): number {
    return this.parts.versions.current.entriesIn(range);
  }

  /** Returns `undefined`: only a directory can be full, and a directory has no remote reads. */
  remoteReads(): undefined {
    return undefined;
  }

  changeOf(area: number): string {
    return (this.store ?? this.parts.versions.areas).changeOf(area);
  }

  durable(sequence: number): Promise<void> | undefined {
    return this.store?.durable(sequence);
  }

  get durableSequence(): number {
    return this.store?.durableSequence ?? this.parts.sequence;
  }

  get cacheHits(): number {
    return this.store?.cacheHits ?? 0;
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.store?.exclusive(work) ?? work();
  }

  get pressure(): WritePressure {
    return this.store?.pressure ?? 'stop';
  }

  admitWrite(): Promise<void> | undefined {
    return this.store === undefined ? Promise.reject(noRoom()) : this.store.admitWrite();
  }

  get poisoned(): Error | undefined {
    return this.failure ?? this.store?.poisoned;
  }

  /** Tries to open the store at each call until it succeeds. */
  async observe(): Promise<Error | undefined> {
    if (this.poisoned !== undefined) return this.poisoned;
    if (this.store === undefined) await this.open();
    return this.poisoned ?? this.store?.observe();
  }

  statistics(): StoreStatistics {
    const { versions, files } = this.parts;
    if (this.store !== undefined) return this.store.statistics();
    return statisticsOfTables(files, versions.runs, this.live.count);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.opening?.catch(() => {});
    if (this.store !== undefined) return this.store.close();
    this.parts.versions.close();
    this.parts.place.close();
  }

  /** Rejects if the store cannot be opened. An error that cannot pass also sets `failure`. */
  private async open(): Promise<void> {
    try {
      this.opening ??= this.openOnce();
      await this.opening;
    } catch (error) {
      if (!mayPass(error)) this.failure = error as Error;
      throw error;
    } finally {
      this.opening = undefined;
    }
  }

  /**
   * Opens the store if there is space for the whole opening. An opening that runs out of space halfway would leave its epoch claim behind.
   */
  private async openOnce(): Promise<void> {
    const { place, versions, sequence, open } = this.parts;
    await place.tryRoom?.(storeLimits.openingBytes);
    const store = await open();
    const found = store.durableSequence;
    if (found !== sequence) {
      this.failure = new StorageError({
        kind: 'io',
        operation: `find sequence ${sequence} and no later one in`,
        object: 'the log',
      });
    }
    this.store = store;
    // Open views keep the sources that they read.
    versions.close();
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof StorageError && ['full', 'io'].includes(error.fault.kind);
}

function noRoom(): Error {
  const { retryAfterSeconds } = storeLimits;
  return fail('overloaded', fullDetail, { retryAfterSeconds });
}
