/**
 * Turns each frozen memtable into one SSTable, and another one for the older versions that views see. Several are written concurrently, and they are
 * published oldest first. The SSTables of a large commit exist already and are only published.
 */

import type { GarbageWatch } from '../cache/garbage-watch.ts';
import type { FlushCounters } from '../contract/statistics.ts';
import type { Log } from '../log/log.ts';
import { levels } from '../manifest/levels.ts';
import { isAny, runWith } from '../manifest/run-part.ts';
import { Memtable } from '../memtable/memtable.ts';
import type { MergeResult } from '../merge/task.ts';
import type { CompleteOptions } from '../place/options.ts';
import { CommittedRun, runEntriesOf } from '../version/committed-run.ts';
import { runOf } from '../version/open-run.ts';
import type { VersionSet } from '../version/version-set.ts';
import { depthOf } from './flushed-depth.ts';
import type { Publisher } from './publisher.ts';
import type { TableMaker } from './table-maker.ts';

interface FlusherParts {
  readonly log: Log;
  readonly versions: VersionSet;
  readonly merger: TableMaker;
  readonly publisher: Publisher;
  readonly garbage: GarbageWatch;
  readonly options: Pick<
    CompleteOptions,
    'flushParallelism' | 'flushedTablesMax' | 'flushedTablesPerKeyMax'
  >;
}

export class Flusher {
  readonly counters: FlushCounters = { flushes: 0, flushedBytes: 0 };
  private readonly parts: FlusherParts;
  private readonly writing = new Map<Memtable, Promise<MergeResult>>();

  constructor(parts: FlusherParts) {
    this.parts = parts;
  }

  /**
   * Publishes the oldest frozen item. Returns false if there is none, or if compactions must run
   * first.
   */
  async flushOne(): Promise<boolean> {
    const { versions } = this.parts;
    const oldest = versions.frozen.at(-1);
    if (oldest === undefined || this.slots() <= 0) return false;
    this.start();
    if (oldest instanceof CommittedRun) await this.publishRun(oldest);
    else await this.flush(oldest);
    return true;
  }

  /**
   * Publishes the SSTables of a commit. If the publication fails, the SSTables stay: the log record
   * names them.
   */
  private async publishRun(run: CommittedRun): Promise<void> {
    const { log, publisher } = this.parts;
    await log.durable(run.sequenceMax);
    await publisher.publish({ runs: (now) => [...runEntriesOf(run), ...now], flushed: run });
    this.counters.flushes++;
    this.counters.flushedBytes += run.tables.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  private async flush(memtable: Memtable): Promise<void> {
    const { publisher, garbage } = this.parts;
    try {
      const { outputs, past, counters } = await this.begin(memtable);
      // There is no output if all its entries have been dropped.
      const run = runWith(levels.flushed, { tables: outputs, past });
      const flushed = isAny(run) ? [run] : [];
      await publisher.publish({
        runs: (now) => [...flushed, ...now],
        flushed: memtable,
        made: [...outputs, ...past],
      });
      this.counters.flushes++;
      this.counters.flushedBytes += counters.outputBytes;
      garbage.add(memtable.bytes + counters.outputBytes);
    } finally {
      this.writing.delete(memtable);
    }
  }

  /** Starts writing the memtables that may be written now. `flushOne` publishes them in order. */
  start(): void {
    const { versions, options } = this.parts;
    const count = Math.min(this.slots(), options.flushParallelism, versions.frozen.length);
    for (let i = 1; i <= count; i++) {
      const item = versions.frozen.at(-i);
      if (item instanceof Memtable) this.begin(item);
    }
  }

  /** Resolves when no memtable is being written any more. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.writing.values());
  }

  /** Returns the number of SSTables that may still be added to the flushed ones. */
  private slots(): number {
    const { versions, options } = this.parts;
    const flushed = versions.runs.filter(({ level }) => level === levels.flushed).map(runOf);
    const free = options.flushedTablesMax - flushed.length;
    return Math.min(free, options.flushedTablesPerKeyMax - depthOf(flushed));
  }

  private begin(memtable: Memtable): Promise<MergeResult> {
    const known = this.writing.get(memtable);
    if (known !== undefined) return known;
    const begun = this.write(memtable);
    this.writing.set(memtable, begun);
    // A failure matters only when the memtable is next in order, and the memtable is written again
    // then.
    begun.catch(() => this.writing.delete(memtable));
    return begun;
  }

  private async write(memtable: Memtable): Promise<MergeResult> {
    // An SSTable must never contain entries that the log could still lose.
    await this.parts.log.durable(memtable.sequenceMax);
    return this.parts.merger.flush(memtable);
  }
}
