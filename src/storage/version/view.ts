/** A consistent state: all commits up to a sequence, read from the current version of the store. */

import type { Pending, Scheduler } from '#base';
import type { KeyBatch } from '../contract/key-batch.ts';
import type { Direction, EntryCursor, KeyRange, Snapshot } from '../contract/store.ts';
import type { ZoneBound } from '../contract/stored-block.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import { LiveCursor } from '../cursor/live-cursor.ts';
import { Lookup } from '../cursor/lookup.ts';
import { NearSources } from '../cursor/near-sources.ts';
import { passedOver } from '../cursor/passed-over.ts';
import { findAllNewest, findNewest, scanNewest } from '../cursor/read-sources.ts';
import type { CursorSource } from '../cursor/source.ts';
import type { LiveSequence, LiveSequences } from './live-sequences.ts';
import { SlowReads } from './slow-reads.ts';
import type { Version } from './version.ts';

/** Provides the current version. */
interface CurrentVersion {
  readonly current: Version;
}

/** Number of first reads of a view that search all sources, and so does the batch that reaches it. Most views have no more reads. */
const readsAlone = 4;

export class View implements Snapshot {
  readonly sequence: number;
  private readonly versions: CurrentVersion;
  private readonly live: LiveSequences;
  private readonly place: LiveSequence;
  private readonly scheduler: Scheduler;
  /** Created for the first read that waits. */
  private slow: SlowReads | undefined;
  private lookup = new Lookup();
  private version: Version;
  /** The sources of the version for this view. */
  private stored: readonly CursorSource[];
  /** Sources that are read before those of the version, newest first. */
  private own: readonly CursorSource[] = [];
  /** `own` and `stored`; `undefined` if `own` is empty. */
  private all: readonly CursorSource[] | undefined;
  /** Sources near the last reads; `undefined` until the view has had some reads. */
  private near: NearSources | undefined;
  private reads = 0;
  private openScans = 0;
  /** The closed cursor of the last scan of one source. A scan near its end costs less with it. */
  private spare: InternalCursor | undefined;
  /** Versions other than `version` that an open scan might still read. */
  private older: Version[] | undefined;
  private isReleased = false;

  constructor(
    versions: CurrentVersion,
    live: LiveSequences,
    sequence: number,
    scheduler: Scheduler,
  ) {
    this.scheduler = scheduler;
    this.versions = versions;
    this.live = live;
    this.sequence = sequence;
    this.version = versions.current.hold();
    this.stored = this.version.sourcesAt(sequence);
    this.place = live.add(sequence);
  }

  get(key: Uint8Array): Uint8Array | undefined | Pending {
    const found = this.find(key);
    return found instanceof Promise ? found : found?.bytes();
  }

  find(key: Uint8Array): Lookup | undefined | Pending {
    if (this.slow !== undefined && this.slow.count > 0) {
      const known = this.slow.take(key);
      if (known !== undefined) return known instanceof Promise ? known : known.found;
    }
    const { lookup } = this;
    const all = this.sources();
    const sources = this.nearSources()?.ofKey(all, key) ?? all;
    const found = findNewest(sources, lookup.ask(key, this.sequence));
    if (typeof found !== 'boolean') {
      this.slow ??= new SlowReads();
      return this.slow.add(key, this.later(lookup, found));
    }
    return found && !lookup.isTombstone ? lookup : undefined;
  }

  findAll(batch: KeyBatch): Pending | undefined {
    batch.snapshot = this.sequence;
    const all = this.sources();
    const near = this.nearSources(batch.end);
    for (let from = 0; from < batch.end; ) {
      const sources = near?.ofKey(all, batch.keys[from] as Uint8Array) ?? all;
      const to = near?.endOf(batch.keys, from, batch.end) ?? batch.end;
      const wait = findAllNewest(sources, batch, from, to);
      if (wait !== undefined) return this.holding(wait);
      from = to;
    }
    return undefined;
  }

  scan(range: KeyRange, direction: Direction, bounds?: readonly ZoneBound[]): EntryCursor {
    const all = this.sources();
    const sources = this.nearSources()?.ofRange(all, range) ?? all;
    const { spare } = this;
    this.spare = undefined;
    const cursor = scanNewest(sources, range, direction, this.sequence, bounds, spare);
    // A shared constant, which must not be modified.
    if (cursor === emptyCursor) return cursor;
    this.openScans++;
    return whenClosed(cursor, () => {
      this.openScans--;
      if (cursor instanceof LiveCursor) this.spare = cursor.end();
      else cursor.close();
    });
  }

  until(wait: Pending): Promise<void> {
    return wait === passedOver ? this.scheduler.yield() : wait;
  }

  /** Reads `sources`, newest first, before everything else from now on. Open scans do not change. */
  overlay(sources: readonly CursorSource[]): void {
    if (sources.length === 0 && this.own.length === 0) return;
    this.own = sources;
    this.all = sources.length === 0 ? undefined : [...sources, ...this.stored];
    this.near?.forget();
    // Results of reads in progress do not contain the new sources.
    this.slow = undefined;
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.live.remove(this.place);
    this.releaseOlder();
    this.version.release();
  }

  /**
   * Completes a read that waits. From now on this read owns the lookup, and its version stays open. The lookup retains no block until its
   * result is requested.
   */
  private async later(lookup: Lookup, found: Promise<boolean>): Promise<Lookup | undefined> {
    const version = this.version.hold();
    this.lookup = new Lookup();
    lookup.key = lookup.key.slice();
    try {
      if (!(await found) || lookup.isTombstone) return undefined;
      lookup.bytes();
      lookup.recentSource = undefined;
      lookup.recentPlace = undefined;
      return lookup;
    } finally {
      version.release();
    }
  }

  /** Keeps the present version open until `wait` settles. */
  private holding(wait: Pending): Pending {
    const version = this.version.hold();
    return wait.finally(() => version.release());
  }

  /**
   * Returns the sources of the newest version. Every version shows the same data at one sequence, so a long-lived view moves on and
   * releases old files.
   */
  private sources(): readonly CursorSource[] {
    const { current } = this.versions;
    if (current !== this.version) this.moveTo(current);
    return this.all ?? this.stored;
  }

  private nearSources(reads = 1): NearSources | undefined {
    if (this.reads >= readsAlone) this.near ??= new NearSources();
    this.reads += reads;
    return this.near;
  }

  private moveTo(current: Version): void {
    this.near?.forget();
    this.spare = undefined;
    this.older ??= [];
    this.older.push(this.version);
    this.version = current.hold();
    this.stored = current.sourcesAt(this.sequence);
    if (this.all !== undefined) this.all = [...this.own, ...this.stored];
    if (this.openScans === 0) this.releaseOlder();
  }

  private releaseOlder(): void {
    const { older } = this;
    this.older = undefined;
    if (older !== undefined) for (const version of older) version.release();
  }
}

/** Calls `told` instead of the first `close` of `cursor`, whose `close` it calls. A wrapper would add a cost to each entry, this adds one to each scan. */
function whenClosed(cursor: EntryCursor, told: () => void): EntryCursor {
  const close = cursor.close;
  cursor.close = () => {
    cursor.close = close;
    told();
  };
  return cursor;
}
