/** Runs the compactions that are due, a few at a time. */

import { applyJob } from '../compaction/apply-job.ts';
import { setAside } from '../compaction/around-damage.ts';
import type { CompactionJob } from '../compaction/job.ts';
import type { CompactionOptions } from '../compaction/options.ts';
import { pickJob, pickTidy } from '../compaction/pick-job.ts';
import { pickRewrite, type TableWithDroppedKeys } from '../compaction/pick-rewrite.ts';
import type { CompactionTotals } from '../contract/statistics.ts';
import type { CursorSource } from '../cursor/source.ts';
import { levels } from '../manifest/levels.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { isAny, mapRun } from '../manifest/run-part.ts';
import type { MergeJob } from '../merge/merge-job.ts';
import type { MergeResult } from '../merge/task.ts';
import type { DamagedTables } from '../table/damaged-tables.ts';
import type { DroppedRange } from '../version/dropped-ranges.ts';
import { type HeldTable, openRunOf, runOf, tablesOf } from '../version/open-run.ts';
import type { VersionSet } from '../version/version-set.ts';
import { tablesToBlame } from './damage.ts';
import { postponedWhenItMayPass } from './postponed.ts';
import type { Publisher } from './publisher.ts';
import type { TableMaker } from './table-maker.ts';
import { tablesWithDroppedKeys } from './tables-with-dropped-keys.ts';

interface CompactorParts {
  readonly versions: VersionSet;
  readonly merger: TableMaker;
  readonly publisher: Publisher;
  readonly options: CompactionOptions;
  /** Receives the SSTables that compactions could not read. */
  readonly known: DamagedTables;
}

export class Compactor {
  readonly totals: CompactionTotals = {
    jobs: 0,
    inputEntries: 0,
    outputEntries: 0,
    outputBytes: 0,
  };
  private readonly parts: CompactorParts;
  private readonly running: CompactionJob[] = [];
  /**
   * Names of SSTables that a compaction could not read. Compactions skip these until they are
   * readable again or the store is reopened.
   */
  readonly damaged = new Set<string>();
  /** SSTables whose compaction into the next tier has stopped and must continue. */
  private begun: ReadonlySet<string> = new Set();
  /** Number of ingestions that keep compactions away from the bottom level. */
  private bottomHolders = 0;
  /** The device was full when the manifest that sets damaged SSTables aside had to be written. */
  private owesAside = false;

  constructor(parts: CompactorParts) {
    this.parts = parts;
  }

  /** Allows compactions of the SSTable again. */
  found(table: string): void {
    this.damaged.delete(table);
  }

  /**
   * Prevents compactions that begin from now on from reaching the bottom level, until
   * `releaseBottom` is called. All newer entries, including tombstones, therefore stay in the runs
   * above it.
   */
  holdBottom(): void {
    this.bottomHolders++;
  }

  releaseBottom(): void {
    this.bottomHolders--;
  }

  get threadsLost(): number {
    return this.parts.merger.threadsLost;
  }

  get active(): number {
    return this.running.length;
  }

  /** Starts the next due job; returns `undefined` if none is due. */
  next(): Promise<void> | undefined {
    if (this.owesAside) return this.publishAside();
    const { running, damaged, begun } = this;
    const options = { ...this.parts.options, isBottomHeld: this.bottomHolders > 0 };
    const job = pickJob(this.runs(), options, running, damaged, begun);
    return job && this.attempt(job);
  }

  /**
   * Compacts a bounded part of all runs into the bottom level if the runs above it have more than
   * `share` of its bytes. Returns `undefined` if they do not. Call it only while no other job runs,
   * and start no other job until it ends, because it uses every run.
   */
  tidy(share: number): Promise<void> | undefined {
    if (this.damaged.size > 0 || this.bottomHolders > 0) return undefined;
    const job = pickTidy(this.runs(), this.parts.options, share);
    return job && this.attempt(job);
  }

  /**
   * Rewrites one SSTable without its dropped keys. Returns false if no SSTable is worth it. The
   * conditions of `tidy` apply.
   */
  async rewrite(): Promise<boolean> {
    const { versions, publisher } = this.parts;
    const dropped = publisher.settledRanges();
    if (dropped.length === 0 || this.damaged.size > 0) return false;
    const held = versions.current.hold();
    try {
      const found = await this.tablesToRewrite(dropped);
      if (found === undefined) return false;
      const job = pickRewrite(this.runs(), found);
      await (job === undefined ? publisher.reclaim() : this.attempt(job));
      return job !== undefined;
    } finally {
      held.release();
    }
  }

  /**
   * Returns the runs without the SSTables that are being removed. The dropped range in them is
   * forgotten with them, so a compaction that does not know the range yet would restore its keys
   * permanently.
   */
  private runs(): readonly RunEntry[] {
    const { runs, leaving } = this.parts.versions;
    const entries = runs.map(runOf);
    if (leaving.size === 0) return entries;
    const left = entries.map((run) =>
      mapRun(run, (table) => (leaving.has(table.name) ? [] : [table])),
    );
    return left.filter(isAny);
  }

  /** Returns the SSTables with dropped keys; `undefined` if one could not be read. */
  private async tablesToRewrite(
    dropped: readonly DroppedRange[],
  ): Promise<readonly TableWithDroppedKeys[] | undefined> {
    const { runs } = this.parts.versions;
    try {
      return await tablesWithDroppedKeys(runs, dropped);
    } catch (error) {
      const entries = runs.flatMap((run) => runOf(run).tables);
      await this.setAside(postponedWhenItMayPass(error), entries);
      return undefined;
    }
  }

  private async attempt(job: CompactionJob): Promise<void> {
    try {
      await this.carryOut(job);
    } catch (error) {
      await this.setAside(error, [...job.inputs, ...job.past].flat());
    }
  }

  /**
   * Sets unreadable SSTables aside: reads of them fail, and all other work continues. Throws
   * `error` if it does not concern one of `tables`.
   */
  private async setAside(error: unknown, tables: readonly TableEntry[]): Promise<void> {
    const names = tablesToBlame(error, tables);
    if (names.length === 0) throw error;
    for (const name of names) {
      this.damaged.add(name);
      this.parts.known.noteError(name, error);
    }
    await this.publishAside();
  }

  private async publishAside(): Promise<void> {
    this.owesAside = false;
    try {
      await this.parts.publisher.publish({ runs: (now) => setAside(now, this.damaged) });
    } catch (error) {
      this.owesAside = true;
      throw error;
    }
  }

  private async carryOut(job: CompactionJob): Promise<void> {
    const names = [...job.inputs, ...job.past].flat().map(({ name }) => name);
    this.running.push(job);
    for (const name of names) this.parts.versions.merging.add(name);
    try {
      const inputs = inputsOf(job);
      const result = await this.parts.merger.merge(job, inputs, this.sourcesOf(inputs));
      await this.parts.publisher.publish({
        runs: (now) => applyJob(now, job, result),
        made: [...result.outputs, ...result.past],
      });
      if (job.kind === 'tiers') this.begun = begunBy(job, result);
      this.totals.jobs++;
      this.totals.inputEntries += result.counters.inputEntries;
      this.totals.outputEntries += result.counters.outputEntries;
      this.totals.outputBytes += result.counters.outputBytes;
    } finally {
      this.running.splice(this.running.indexOf(job), 1);
      for (const name of names) this.parts.versions.merging.delete(name);
    }
  }

  private sourcesOf(inputs: MergeJob['inputs']): CursorSource[] {
    const held = new Map<TableEntry, HeldTable>();
    for (const table of this.parts.versions.runs.flatMap(tablesOf)) {
      held.set(table.table.entry, table);
    }
    return inputs.map((tables) => {
      const open = tables.map((entry) => held.get(entry) as HeldTable);
      return openRunOf(levels.tier, open).source;
    });
  }
}

/** Returns the sorted runs that the job merges, newest first: each run, and below it its past run. */
function inputsOf({ inputs, past }: CompactionJob): MergeJob['inputs'] {
  return inputs.flatMap((tables, i) => [tables, past[i] ?? []]).filter(({ length }) => length > 0);
}

/** Returns the remaining SSTables of the newer tiers if the job stopped early. */
function begunBy(job: CompactionJob, { resumeAt }: MergeResult): ReadonlySet<string> {
  if (resumeAt === undefined) return new Set();
  return new Set(job.inputs.slice(0, -1).flatMap((tables) => tables.map(({ name }) => name)));
}
