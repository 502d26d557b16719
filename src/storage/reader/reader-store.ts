/** A read-only store. The store shows the newest published state and follows newer ones. */

import type { Timer, World } from '#base';
import { fail } from '#failure';
import { storeLimits } from '../contract/limits.ts';
import type { StoreStatistics } from '../contract/statistics.ts';
import type {
  KeyRange,
  RemoteReads,
  Snapshot,
  Store,
  Transaction,
  WritePressure,
} from '../contract/store.ts';
import { assumedReadMicros } from '../object/read-latency.ts';
import { nameOf } from '../version/change-tracker.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { Follower } from './follower.ts';
import { isLasting } from './lasting.ts';
import type { ReaderPlace } from './reader-place.ts';
import { readerStatistics } from './reader-statistics.ts';

interface ReaderParts {
  readonly follower: Follower;
  readonly files: TableFiles;
  readonly world: World;
  readonly pollMs: number;
  readonly place: ReaderPlace;
}

export class ReaderStore implements Store {
  readonly pressure: WritePressure = 'none';
  /** Set if this process cannot read the next state: damage, a newer format, or a replaced store. */
  poisoned: Error | undefined;
  private readonly parts: ReaderParts;
  private timer: Timer | undefined;
  private askedMs: number;
  newestAtMs: number;
  private isClosed = false;

  constructor(parts: ReaderParts) {
    this.parts = parts;
    this.askedMs = parts.world.clock.monotonicMs();
    this.newestAtMs = this.askedMs;
    this.wait();
  }

  snapshot(): Snapshot {
    return this.parts.follower.view();
  }

  ingest(): undefined {
    return undefined;
  }

  entriesIn(range: KeyRange): number {
    return this.parts.follower.current.version.entriesIn(range);
  }

  remoteReads(range: KeyRange): RemoteReads | undefined {
    const { place } = this.parts;
    const found = this.parts.follower.current.version.remoteIn(range);
    return found && { ...found, micros: place.readMicros?.() ?? assumedReadMicros };
  }

  changeOf(area: number): string {
    return nameOf(this.parts.follower.current.areas.get(area));
  }

  /** Returns `undefined`: a published state is always durable. */
  durable(): undefined {
    return undefined;
  }

  get durableSequence(): number {
    return this.parts.follower.current.sequence;
  }

  begin(): Transaction {
    throw readOnly();
  }

  get cacheHits(): number {
    const { data, metadata } = this.parts.files.cache;
    return data.hits + metadata.hits;
  }

  /** Runs the work immediately, since nothing ever commits here. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  admitWrite(): undefined {
    return undefined;
  }

  /** Returns the lasting failure, if any. Checks the location unless a recent poll has done so. */
  async observe(): Promise<Error | undefined> {
    const { world, follower } = this.parts;
    if (this.poisoned !== undefined) return this.poisoned;
    const isFresh = world.clock.monotonicMs() - this.askedMs < storeLimits.observedMs;
    if (!isFresh) await this.ask(() => follower.look()).catch(this.unlessPoisoned);
    return this.poisoned;
  }

  /** Moves to the newest state and returns whether it moved. Throws if the location cannot be reached. */
  async refresh(): Promise<boolean> {
    const hasMoved = await this.ask(() => this.parts.follower.advance());
    this.newestAtMs = this.askedMs;
    return hasMoved;
  }

  statistics(): StoreStatistics {
    const { follower, files, place } = this.parts;
    return readerStatistics(follower, files, place);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.timer?.cancel();
    try {
      await this.parts.follower.close();
    } finally {
      this.parts.place.close?.();
    }
  }

  private readonly unlessPoisoned = (error: unknown): void => {
    if (this.poisoned === undefined) throw error;
  };

  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      const answer = await question();
      this.askedMs = this.parts.world.clock.monotonicMs();
      return answer;
    } catch (error) {
      if (isLasting(error)) this.poisoned ??= error as Error;
      throw error;
    }
  }

  private wait(): void {
    if (this.isClosed) return;
    this.timer = this.parts.world.scheduler.after(this.parts.pollMs, () => void this.poll());
  }

  /** Polls for a newer state. `observe` then repeats the request itself and reports a failure. */
  private async poll(): Promise<void> {
    await this.refresh().catch(() => {});
    this.wait();
  }
}

function readOnly(): Error {
  return fail('read_only', 'this server is a read-only reader; send writes to the writer');
}
