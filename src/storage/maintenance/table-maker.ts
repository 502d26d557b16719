/** Writes durable SSTables from sources. Flushes, compactions and ingestions use it. */

import type { CompactionJob } from '../compaction/job.ts';
import { storeLimits } from '../contract/limits.ts';
import type { SortedEntries } from '../contract/sorted-entries.ts';
import type { VersionSource } from '../cursor/source.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { Memtable } from '../memtable/memtable.ts';
import type { MergeExecutor, MergeJob } from '../merge/merge-job.ts';
import type { MergeResult } from '../merge/task.ts';
import { WorkerGone } from '../merge/worker-executor.ts';
import type { ComponentRequests } from '../object/component-requests.ts';
import type { VersionSet } from '../version/version-set.ts';
import { Postponed, postponedWhenItMayPass } from './postponed.ts';
import type { Publisher } from './publisher.ts';

interface TableMakerParts {
  readonly versions: VersionSet;
  readonly publisher: Publisher;
  readonly table: MergeJob['table'];
  readonly tableBytes: number;
  /** Returns the sequences at which views read. */
  readonly snapshots: () => readonly number[];
  /** Runs merges on this thread. */
  readonly local: MergeExecutor;
  /** Runs merges on another thread, or on this one as well. */
  readonly remote: MergeExecutor;
}

/** The names of the outputs of a merge. */
export interface TableNames {
  next(): string;
  /** Called with the names that a failed merge has taken. */
  failed(names: readonly string[]): void;
}

type Shape = Pick<
  MergeJob,
  | 'component'
  | 'inputs'
  | 'ingested'
  | 'isHandedOver'
  | 'range'
  | 'isBottom'
  | 'isUrgent'
  | 'stopAfterBytes'
  | 'tableBytes'
>;

const everyKey = { from: new Uint8Array(), to: undefined };

/** Temporary SSTables, newest first, and the same as open sources. */
interface TemporaryTables {
  readonly inputs: readonly (readonly TableEntry[])[];
  readonly sources: readonly VersionSource[];
}

/** A merge of writes that are not committed: every key is kept, and a client waits. */
const committedShape: Omit<Shape, 'tableBytes'> = {
  component: 'db',
  inputs: [],
  range: everyKey,
  isBottom: false,
  isUrgent: true,
  stopAfterBytes: undefined,
};

export class TableMaker {
  /** Number of merges that lost their thread. */
  threadsLost = 0;
  private lostInARow = 0;
  private readonly parts: TableMakerParts;

  /** Names of SSTables of the store. */
  private readonly naming: TableNames;

  constructor(parts: TableMakerParts) {
    this.parts = parts;
    const { publisher, versions } = parts;
    this.naming = {
      next: () => publisher.nextName(),
      failed: (names) =>
        void versions.obsolete.push(...names.map((name) => ({ name, bytes: undefined }))),
    };
  }

  /** Requests of merges on another thread to a remote store. */
  get requests(): readonly ComponentRequests[] | undefined {
    return this.parts.remote.requests;
  }

  /**
   * Writes a memtable as one SSTable, so that the number of flushed SSTables is that of the
   * memtables. A large memtable is written on the other thread, to which its entries are copied.
   * For a small one, the copying would take longer than the writing.
   */
  flush(memtable: Memtable): Promise<MergeResult> {
    const shape: Shape = {
      component: 'db',
      inputs: [],
      isHandedOver: true,
      range: everyKey,
      isBottom: false,
      isUrgent: true,
      stopAfterBytes: undefined,
      tableBytes: Infinity,
    };
    const isLarge = memtable.contentBytes >= storeLimits.handedOverBytes;
    return isLarge
      ? this.runElsewhere([memtable], shape)
      : this.run(this.parts.local, [memtable], shape);
  }

  /**
   * Runs a compaction of the runs `inputs`, newest first. `sources` are the same runs, and stay open
   * until it ends.
   */
  async merge(
    job: CompactionJob,
    inputs: MergeJob['inputs'],
    sources: readonly VersionSource[],
  ): Promise<MergeResult> {
    const { tableBytes } = this.parts;
    const { range, isBottom, stopAfterBytes } = job;
    const isUrgent = job.kind === 'flushed';
    const component = 'compactor' as const;
    const shape = { component, inputs, range, isBottom, isUrgent, stopAfterBytes, tableBytes };
    return this.runElsewhere(sources, shape);
  }

  /** Writes SSTables of entries that are in neither an SSTable nor a memtable. */
  ingest(entries: SortedEntries, sequence: number): Promise<MergeResult> {
    return this.runElsewhere([], {
      component: 'db',
      inputs: [],
      ingested: { entries, sequence },
      range: everyKey,
      isBottom: false,
      isUrgent: false,
      stopAfterBytes: undefined,
      tableBytes: this.parts.tableBytes,
    });
  }

  /**
   * Writes the batch of a transaction that is not committed as one temporary SSTable with a name of
   * `names`. `site` runs the merge if the object is not in the storage location.
   */
  spill(batch: VersionSource, names: TableNames, site?: MergeExecutor): Promise<MergeResult> {
    const shape = { ...committedShape, isHandedOver: true, tableBytes: Infinity };
    if (site !== undefined) return this.run(site, [batch], shape, names);
    return this.runElsewhere([batch], shape, names);
  }

  /** Merges temporary SSTables of a transaction into fewer ones, like `spill`. */
  join(
    { inputs, sources }: TemporaryTables,
    names: TableNames,
    site?: MergeExecutor,
  ): Promise<MergeResult> {
    const shape = { ...committedShape, inputs, tableBytes: storeLimits.joinedBytesMax };
    if (site !== undefined) return this.run(site, sources, shape, names);
    return this.runElsewhere(sources, shape, names);
  }

  /**
   * Merges temporary SSTables of a transaction into SSTables of the store. `isElsewhere` means that
   * the storage location does not contain the temporary ones.
   */
  commit({ inputs, sources }: TemporaryTables, isElsewhere: boolean): Promise<MergeResult> {
    const shape = { ...committedShape, inputs, tableBytes: this.parts.tableBytes };
    return isElsewhere
      ? this.run(this.parts.local, sources, shape)
      : this.runElsewhere(sources, shape);
  }

  /** Cancels the merges in progress. */
  async close(): Promise<void> {
    await Promise.all([this.parts.local.close(), this.parts.remote.close()]);
  }

  private async runElsewhere(
    sources: readonly VersionSource[],
    shape: Shape,
    naming?: TableNames,
  ): Promise<MergeResult> {
    const { remote, local } = this.parts;
    // A thread that dies repeatedly must not block writes, which wait for compactions and flushes.
    const site = this.lostInARow < storeLimits.threadsLostMax ? remote : local;
    const result = await this.run(site, sources, shape, naming);
    this.lostInARow = 0;
    return result;
  }

  /** Runs a merge. The output of a failed merge is queued for deletion. */
  private async run(
    site: MergeExecutor,
    sources: readonly VersionSource[],
    shape: Shape,
    naming: TableNames = this.naming,
  ): Promise<MergeResult> {
    const { versions, publisher, table, snapshots } = this.parts;
    const names: string[] = [];
    const nextName = () => {
      const name = naming.next();
      names.push(name);
      return name;
    };
    const dropped = publisher.settledRanges().map(({ from, to }) => ({ from, to }));
    const order = { ...shape, snapshots: snapshots(), dropped, table };
    const held = versions.current.hold();
    try {
      return await site.merge(order, { sources, nextName });
    } catch (error) {
      naming.failed(names);
      throw this.judge(error);
    } finally {
      held.release();
    }
  }

  private judge(error: unknown): unknown {
    if (error instanceof WorkerGone) {
      this.threadsLost++;
      this.lostInARow++;
      return new Postponed(
        'a compaction or a flush lost its thread',
        storeLimits.threadLostMs,
        error,
      );
    }
    return postponedWhenItMayPass(error);
  }
}
