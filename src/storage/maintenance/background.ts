/**
 * Background work: freezes full memtables, flushes, compacts, deletes, and measures the pressure on
 * writers.
 */

import type { World } from '#base';
import { storeLimits } from '../contract/limits.ts';
import type { Log } from '../log/log.ts';
import { LogSpan, type LogSpanBounds } from '../log/log-span.ts';
import { Cancelled } from '../merge/merge-job.ts';
import type { CompleteOptions } from '../place/options.ts';
import type { LiveSequences } from '../version/live-sequences.ts';
import type { VersionSet } from '../version/version-set.ts';
import type { Compactor } from './compactor.ts';
import type { Flusher } from './flusher.ts';
import { IdleWatch } from './idle-watch.ts';
import { Postponed } from './postponed.ts';
import type { PressureGauge } from './pressure.ts';
import type { Publisher } from './publisher.ts';
import { type ReaderCare, ReaderWatch } from './reader-watch.ts';
import type { TableMaker } from './table-maker.ts';
import { WorkLoop } from './work-loop.ts';

interface BackgroundParts {
  readonly world: World;
  readonly versions: VersionSet;
  readonly log: Log;
  /** Sequences at which views read. */
  readonly live: LiveSequences;
  readonly merger: TableMaker;
  readonly flusher: Flusher;
  readonly compactor: Compactor;
  readonly publisher: Publisher;
  readonly options: Pick<
    CompleteOptions,
    'memtableBytes' | 'idleMs' | 'idleFlushBytesMin' | keyof LogSpanBounds
  >;
  /** Called if background work fails permanently, so that commits must stop as well. */
  readonly failed: (error: Error) => void;
}

export class Background implements PressureGauge {
  private readonly parts: BackgroundParts;
  private readonly flushing: WorkLoop;
  private readonly compacting: WorkLoop;
  /** A second compaction loop, so that flushed SSTables never wait for a large compaction. */
  private readonly compactingToo: WorkLoop;
  private readonly tidying: WorkLoop;
  private readonly reclaiming: WorkLoop;
  /** All of the loops above. */
  private readonly loops: readonly WorkLoop[];
  private readonly watch: IdleWatch;
  private readonly readers: ReaderWatch;
  /** No view reads below the last drop of a range any more. */
  private readonly rangeUnseen = (): void => {
    this.reclaiming.kick();
    this.watch.touch();
  };
  /** No view needs some SSTable of a past run any more. */
  private readonly pastUnseen = (): void => {
    this.isPastUnseen = true;
    this.flushing.kick();
  };
  private isPastUnseen = false;
  /** Growth of the log since the active memtable received its first write. */
  private readonly span: LogSpan;
  private isTidying = false;
  /** The last attempt to write an SSTable or a manifest failed because the device is full. */
  isFull = false;
  /** Bytes that may stay above the bottom level, as a share of its bytes. */
  private tidyShare: number = storeLimits.idleShare;

  constructor(parts: BackgroundParts) {
    const { world, log, options, failed } = parts;
    this.span = new LogSpan(log, world.clock, options);
    this.parts = parts;
    const loop = (step: () => Promise<boolean>) => new WorkLoop(() => this.tolerate(step), failed);
    this.flushing = loop(() => this.flush());
    this.compacting = loop(() => this.compact());
    this.compactingToo = loop(() => this.compact());
    this.tidying = loop(() => this.tidyStep());
    this.reclaiming = loop(() => this.reclaim());
    this.loops = [
      this.flushing,
      this.compacting,
      this.compactingToo,
      this.tidying,
      this.reclaiming,
    ];
    parts.versions.freed = () => this.flushing.kick();
    this.watch = new IdleWatch(world, options.idleMs, () => this.rest());
    this.readers = new ReaderWatch(world, this.careForReaders());
  }

  get unflushedBytes(): number {
    return this.parts.versions.unflushedBytes;
  }

  get frozenMemtables(): number {
    return this.parts.versions.frozen.length;
  }

  /** Number of L0 runs, with those of commits in SSTables that no manifest names yet. */
  get flushedRuns(): number {
    const { flushedRuns, committedRuns } = this.parts.versions;
    return flushedRuns + committedRuns.length;
  }

  /** Starts the work that has become due. Called after every commit. */
  committed(): void {
    const { versions, options } = this.parts;
    this.watch.touch();
    this.readers.touch();
    const isFull = versions.active.contentBytes >= options.memtableBytes;
    if (this.span.isLong() || isFull) this.freeze();
  }

  /** Starts the publication of a commit in SSTables, which has frozen the memtable below it. */
  runCommitted(): void {
    this.watch.touch();
    this.readers.touch();
    this.startFlush();
  }

  /**
   * Called after a commit that dropped a range. The space of the range is freed once no view reads
   * below `sequence`.
   */
  droppedAt(sequence: number): void {
    this.parts.live.whenPast(sequence, this.rangeUnseen);
  }

  /** Starts compactions into the bottom level, which an ingestion had prevented. */
  bottomReleased(): void {
    this.kickCompaction();
    this.watch.touch();
  }

  /** Starts the work that the opening has left. */
  start(): void {
    this.flushing.kick();
    // The first requests need the CPU more, unless a flush waits for compactions.
    this.parts.world.scheduler.after(storeLimits.openedMs, () => this.kickCompaction());
    this.reclaiming.kick();
    this.watch.touch();
    this.readers.touch();
  }

  /** Flushes everything and compacts it into the bottom level. */
  async tidy(): Promise<void> {
    if (this.parts.versions.active.entries > 0) this.freeze();
    await this.idle();
    this.tidyShare = 0;
    this.tidying.kick();
    await this.idle();
    this.tidyShare = storeLimits.idleShare;
  }

  /** Resolves when no work is due. */
  async idle(): Promise<void> {
    while (this.loops.some((loop) => loop.isRunning)) {
      for (const loop of this.loops) await loop.idle();
    }
  }

  /** Finishes the current flush or publication, and cancels compactions. */
  async stop(): Promise<void> {
    this.readers.stop();
    this.parts.publisher.hurry();
    await Promise.all([this.parts.merger.close(), ...this.loops.map((loop) => loop.stop())]);
    await this.parts.flusher.idle();
  }

  /**
   * Freezes the active memtable. While a commit is being applied it does nothing, because that
   * commit calls `committed` when it ends.
   */
  private freeze(): void {
    if (this.parts.versions.isApplying) return;
    this.parts.versions.freeze();
    this.startFlush();
  }

  private startFlush(): void {
    this.span.restart();
    if (!this.flushing.isStopped) this.parts.flusher.start();
    this.flushing.kick();
  }

  private careForReaders(): ReaderCare {
    const { publisher, versions } = this.parts;
    return {
      get isUnpublished() {
        return versions.active.entries > 0;
      },
      get isUncollected() {
        return publisher.uncollected > 0;
      },
      hasReaders: () => publisher.hasReaders(),
      publish: () => {
        // The flushes in progress publish it already.
        if (versions.frozen.length === 0) this.freeze();
      },
      collect: () => this.flushing.kick(),
    };
  }

  private kickCompaction(): void {
    this.compacting.kick();
    this.compactingToo.kick();
  }

  private rest(): void {
    const { versions, options } = this.parts;
    const isWorthIt = versions.active.contentBytes >= options.idleFlushBytesMin;
    // The space of dropped entries is freed once no manifest needs them any more.
    const isAwaited = versions.active.entries > 0 && !versions.dropped.isEmpty;
    if (isWorthIt || isAwaited) this.freeze();
    this.tidying.kick();
  }

  private async flush(): Promise<boolean> {
    const { flusher, publisher, versions } = this.parts;
    const wasDue = await flusher.flushOne();
    if (wasDue) this.isFull = false;
    // The kick is also needed if a flush waits for compactions.
    if (wasDue || versions.frozen.length > 0) this.kickCompaction();
    if (wasDue && !versions.dropped.isEmpty) this.reclaiming.kick();
    const isGarbage = versions.obsolete.length > 0 || publisher.uncollected > 0;
    if (wasDue || isGarbage || this.isPastUnseen) await this.collect();
    return wasDue;
  }

  private async compact(): Promise<boolean> {
    const { compactor } = this.parts;
    if (this.isTidying) return false;
    const job = compactor.next();
    if (job === undefined) return false;
    await job;
    this.flushing.kick();
    await this.collect();
    if (!this.parts.versions.dropped.isEmpty) this.reclaiming.kick();
    return true;
  }

  /**
   * Drops SSTables that contain only dropped keys. Compactions remove the dropped keys of other
   * SSTables when the store is idle.
   */
  private async reclaim(): Promise<boolean> {
    const { versions, log, publisher } = this.parts;
    if (versions.dropped.isEmpty) return false;
    // No manifest boundary is above the sequence yet, so an earlier attempt would free nothing, and
    // no later one would follow.
    await log.durable(versions.dropped.sequenceMax);
    await publisher.reclaim();
    await this.collect();
    return false;
  }

  /**
   * Compacts all runs. The step first waits until all other work has ended, and then prevents new
   * work from starting.
   */
  private async tidyStep(): Promise<boolean> {
    const { compactor } = this.parts;
    for (const loop of [this.flushing, this.compacting, this.compactingToo]) await loop.idle();
    if (compactor.active > 0 || this.flushing.isRunning) return true;
    this.isTidying = true;
    try {
      const job = compactor.tidy(this.tidyShare);
      if (job !== undefined) await job;
      else if (!(await compactor.rewrite())) return false;
    } finally {
      this.isTidying = false;
      this.flushing.kick();
      this.kickCompaction();
    }
    await this.collect();
    return true;
  }

  private async collect(): Promise<void> {
    const { publisher, versions, live } = this.parts;
    this.isPastUnseen = false;
    await publisher.collect();
    const { pastSeenBelow } = versions;
    if (pastSeenBelow !== undefined) live.whenPast(pastSeenBelow, this.pastUnseen);
    if (publisher.uncollected > 0) this.readers.touch();
  }

  /**
   * Runs a step. A canceled step ends. A postponed one is repeated later: the device is full, the
   * storage location does not respond, or the thread was lost.
   */
  private async tolerate(step: () => Promise<boolean>): Promise<boolean> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof Cancelled) return false;
      if (!(error instanceof Postponed)) throw error;
      this.isFull = error.isFull;
      await this.collect();
      await new Promise<void>((resolve) =>
        this.parts.world.scheduler.after(error.afterMs, resolve),
      );
      return true;
    }
  }
}
