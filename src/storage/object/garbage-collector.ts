/** Lists and deletes obsolete objects, and counts its work by part of the store. */

import type { Clock } from '#base';
import { type StorePart, storePartOf } from './component-requests.ts';
import type { ObjectHead, ObjectStore } from './store.ts';

/** An object to be deleted. */
export interface Garbage {
  readonly name: string;
  /** Size of the object. If `undefined`, the object may not exist, and its size is requested. */
  readonly bytes: number | undefined;
}

/** Counts since the store was opened. */
interface GarbageCounts {
  /** Objects that listings have returned. */
  readonly listed: number;
  /** Objects, or files, that were deleted. */
  readonly deleted: number;
  readonly deletedBytes: number;
  /** Listings and deletions that failed. */
  readonly listErrors: number;
  readonly deleteErrors: number;
}

export interface GarbageStatistics {
  /** Completed and failed sweeps. */
  readonly runs: number;
  readonly failedRuns: number;
  readonly parts: Readonly<Record<StorePart, GarbageCounts>>;
  /** SSTables that no manifest names and that a reader elsewhere may still read. */
  readonly waiting: number;
  /**
   * Milliseconds for which the oldest garbage has waited: for a reader, or since the first sweep of
   * the current series of failures. 0 if there is none.
   */
  readonly oldestAgeMs: number;
}

/** Called for each removed file with its bytes. */
export type Removed = (bytes: number) => void;

/** SSTables that wait for readers elsewhere. */
interface WaitingGarbage {
  readonly count: number;
  /** Monotonic time in milliseconds; `undefined` if none waits. */
  readonly oldestSinceMs: number | undefined;
}

type Counters = { -readonly [Member in keyof GarbageCounts]: GarbageCounts[Member] };

export class GarbageCollector {
  private readonly counters: Readonly<Record<StorePart, Counters>> = {
    main: newCounts(),
    log: newCounts(),
  };
  private runs = 0;
  private failedRuns = 0;
  /** Monotonic time at which the first failed sweep since the last completed one began. */
  private failingSinceMs: number | undefined;
  private readonly objects: ObjectStore;
  private readonly clock: Clock;

  constructor(objects: ObjectStore, clock: Clock) {
    this.objects = objects;
    this.clock = clock;
  }

  statistics(waiting: WaitingGarbage): GarbageStatistics {
    const { runs, failedRuns, counters, failingSinceMs, clock } = this;
    const nowMs = clock.monotonicMs();
    const oldestMs = Math.min(waiting.oldestSinceMs ?? nowMs, failingSinceMs ?? nowMs);
    return {
      runs,
      failedRuns,
      parts: { main: { ...counters.main }, log: { ...counters.log } },
      waiting: waiting.count,
      oldestAgeMs: nowMs - oldestMs,
    };
  }

  /** Runs one sweep over everything that may be garbage, and counts its outcome. */
  async sweep(work: () => Promise<void>): Promise<void> {
    const beganMs = this.clock.monotonicMs();
    try {
      await work();
    } catch (error) {
      this.failedRuns++;
      this.failingSinceMs ??= beganMs;
      throw error;
    }
    this.runs++;
    this.failingSinceMs = undefined;
  }

  async list(prefix: string): Promise<readonly ObjectHead[]> {
    const counters = this.counters[storePartOf(prefix)];
    try {
      const found = await this.objects.list(prefix);
      counters.listed += found.length;
      return found;
    } catch (error) {
      counters.listErrors++;
      throw error;
    }
  }

  /** Deletes objects. Objects that do not exist are accepted and not counted. */
  async delete(garbage: readonly Garbage[]): Promise<void> {
    for (const [part, some] of Map.groupBy(garbage, ({ name }) => storePartOf(name))) {
      await this.counted(part, async (removed) => {
        const sizes = await Promise.all(some.map((one) => this.sizeOf(one)));
        await this.objects.delete(some.map(({ name }) => name));
        for (const bytes of sizes) if (bytes !== undefined) removed(bytes);
      });
    }
  }

  /** Runs `work`, which removes files that are not objects: segments of a log. */
  removeSegments(work: (removed: Removed) => void | Promise<void>): Promise<void> {
    return this.counted('log', work);
  }

  private async counted(
    part: StorePart,
    work: (removed: Removed) => void | Promise<void>,
  ): Promise<void> {
    const counters = this.counters[part];
    try {
      await work((bytes) => {
        counters.deleted++;
        counters.deletedBytes += bytes;
      });
    } catch (error) {
      counters.deleteErrors++;
      throw error;
    }
  }

  private async sizeOf({ name, bytes }: Garbage): Promise<number | undefined> {
    return bytes ?? (await this.objects.head(name))?.bytes;
  }
}

function newCounts(): Counters {
  return { listed: 0, deleted: 0, deletedBytes: 0, listErrors: 0, deleteErrors: 0 };
}
