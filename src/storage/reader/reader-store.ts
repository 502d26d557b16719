/** A store that is read only: the newest published state, and newer ones as they come. */

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
import { nameOf } from '../version/areas.ts';
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
  /** Set when this process cannot read what comes next: damage, a newer format, another store. */
  poisoned: Error | undefined;
  private readonly parts: ReaderParts;
  private timer: Timer | undefined;
  private askedMs: number;
  private isClosed = false;

  constructor(parts: ReaderParts) {
    this.parts = parts;
    this.askedMs = parts.world.clock.monotonicMs();
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

  /** What is published is durable. */
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

  /** Nobody commits here at any time. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  admitWrite(): undefined {
    return undefined;
  }

  /** A poll has asked the place as well, if it was just now. */
  async observe(): Promise<Error | undefined> {
    const { world, follower } = this.parts;
    if (this.poisoned !== undefined) return this.poisoned;
    const isFresh = world.clock.monotonicMs() - this.askedMs < storeLimits.observedMs;
    if (!isFresh) await this.ask(() => follower.look()).catch(this.unlessPoisoned);
    return this.poisoned;
  }

  /** Moves on to the newest state at once, and says whether it moved. Throws when the place cannot be asked. */
  refresh(): Promise<boolean> {
    return this.ask(() => this.parts.follower.advance());
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

  /** A failure shows in `observe`, which then asks itself. */
  private async poll(): Promise<void> {
    await this.refresh().catch(() => {});
    this.wait();
  }
}

function readOnly(): Error {
  return fail('read_only', 'this process reads only: send writes to the writer');
}
