/** Turns frozen memtables into tables, oldest first. */

import { levels } from './compaction/index.ts';
import type { Log } from './log/log.ts';
import type { Merger } from './merger.ts';
import type { Publisher } from './publisher.ts';
import type { VersionSet } from './version-set.ts';

export interface FlushCounters {
  flushes: number;
  flushedBytes: number;
}

const everyKey = { from: new Uint8Array(), to: undefined };

export class Flusher {
  readonly counters: FlushCounters = { flushes: 0, flushedBytes: 0 };
  private readonly log: Log;
  private readonly versions: VersionSet;
  private readonly merger: Merger;
  private readonly publisher: Publisher;

  constructor(log: Log, versions: VersionSet, merger: Merger, publisher: Publisher) {
    this.log = log;
    this.versions = versions;
    this.merger = merger;
    this.publisher = publisher;
  }

  /** Flushes the oldest frozen memtable; false when there is none. */
  async flushOne(): Promise<boolean> {
    const memtable = this.versions.frozen.at(-1);
    if (memtable === undefined) return false;
    // A table must never hold what the log could still lose.
    await this.log.durable(memtable.sequenceMax);
    const shape = { range: everyKey, isBottom: false, stopAfterBytes: undefined };
    const { outputs, counters } = await this.merger.merge([memtable], shape);
    const run = { level: levels.flushed, tables: outputs };
    await this.publisher.publish({ runs: (now) => [run, ...now], flushed: memtable });
    this.counters.flushes++;
    this.counters.flushedBytes += counters.outputBytes;
    return true;
  }
}
