/** What goes on behind the commits: freezing full memtables, flushing, compacting, deleting; and its pressure on writers. */

import type { Flusher } from './flusher.ts';
import type { Log } from './log/log.ts';
import type { PressureGauge } from './pressure.ts';
import type { Publisher } from './publisher.ts';
import type { VersionSet } from './version-set.ts';
import { WorkLoop } from './work-loop.ts';

export interface BackgroundParts {
  readonly versions: VersionSet;
  readonly log: Log;
  readonly flusher: Flusher;
  readonly publisher: Publisher;
  readonly memtableBytes: number;
  readonly logBytesBeforeFlush: number;
  /** Background work cannot go on, so neither can commits. */
  readonly failed: (error: Error) => void;
}

export class Background implements PressureGauge {
  private readonly parts: BackgroundParts;
  private readonly flushing: WorkLoop;
  /** Bytes of the log when the active memtable began. */
  private logBytesAtFreeze = 0;

  constructor(parts: BackgroundParts) {
    this.parts = parts;
    this.flushing = new WorkLoop(() => this.flush(), parts.failed);
  }

  get unflushedBytes(): number {
    return this.parts.versions.unflushedBytes;
  }

  get frozenMemtables(): number {
    return this.parts.versions.frozen.length;
  }

  get flushedRuns(): number {
    return this.parts.versions.runs.filter((run) => run.level === 0).length;
  }

  /** After every commit: starts what has become due. */
  committed(): void {
    const { versions, log, memtableBytes, logBytesBeforeFlush } = this.parts;
    const logBytes = log.counters.payloadBytes - this.logBytesAtFreeze;
    if (versions.active.contentBytes < memtableBytes && logBytes < logBytesBeforeFlush) return;
    this.logBytesAtFreeze = log.counters.payloadBytes;
    versions.freeze();
    this.flushing.kick();
  }

  /** Starts what the opening left to do. */
  start(): void {
    if (this.parts.versions.frozen.length > 0) this.flushing.kick();
  }

  /** Resolves when nothing is due. */
  async idle(): Promise<void> {
    await this.flushing.idle();
  }

  /** Finishes the steps under way. */
  async stop(): Promise<void> {
    await this.flushing.stop();
  }

  private async flush(): Promise<boolean> {
    const { flusher, publisher } = this.parts;
    const wasDue = await flusher.flushOne();
    if (wasDue) await publisher.collect();
    return wasDue;
  }
}
