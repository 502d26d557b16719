/**
 * Disk space for the writes of transactions that memory does not hold, and the way of these writes
 * into the store. A *run* is a temporary SSTable: not synced, and removed by the next opening.
 */

import type { Random } from '#base';
import { fail } from '#failure';
import { type CommitYield, resumeSteps } from '../batch/commit-yield.ts';
import { eachWrite, type WriteBatch } from '../batch/write-batch.ts';
import { storeLimits } from '../contract/limits.ts';
import { fullDetail } from '../contract/no-room.ts';
import type { KeyRange } from '../contract/store.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { BatchSource } from '../merge/batch-source.ts';
import { Cancelled, type MergeExecutor } from '../merge/merge-job.ts';
import type { MergeResult } from '../merge/task.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { ObjectReader, ObjectStore } from '../object/store.ts';
import type { RunSpace, SpilledRun } from '../transaction/own-writes.ts';
import type { RunCommit } from '../transaction/run-commit.ts';
import { RangeCollector, WrittenRanges } from '../transaction/written-ranges.ts';
import { WrittenRun } from '../transaction/written-run.ts';
import type { AreaOf } from '../version/change-tracker.ts';
import type { OpenRun } from '../version/open-run.ts';
import { encodeRunCommit } from '../version/run-record.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { VersionSet } from '../version/version-set.ts';
import { Postponed } from './postponed.ts';
import type { TableMaker, TableNames } from './table-maker.ts';

/** Joining a range to others takes as long as copying this many bytes. */
const bytesOfRange = 2 << 10;

/** The place of the runs. */
interface RunPlace {
  readonly objects: Pick<ObjectStore, 'create' | 'put' | 'openRead' | 'delete'>;
  /** Writes runs if they are not in the storage location of the store. */
  readonly site?: MergeExecutor | undefined;
  /** Returns false while there is no disk for runs; `undefined` if there always is one. */
  readonly hasDisk?: () => boolean;
  /** Returns the free bytes of the device that contains runs and SSTables, if they are known. */
  readonly freeBytes?: (() => number) | undefined;
  /** Free bytes that runs and SSTables leave to the log and the flushes. */
  readonly reserveBytes: number;
}

interface RunSpaceParts {
  readonly place: RunPlace;
  readonly merger: TableMaker;
  readonly versions: VersionSet;
  /** Opens runs. */
  readonly runFiles: TableFiles;
  /** Opens SSTables of the store. */
  readonly files: TableFiles;
  readonly areaOf: AreaOf;
  readonly random: Random;
  readonly shareBytes: number;
  readonly newStretch: () => CommitYield;
}

interface OpenSpilledRun extends SpilledRun {
  readonly tables: readonly TableEntry[];
  readonly open: OpenRun;
}

export class TransactionRunSpace implements RunSpace {
  readonly runsMax = storeLimits.runsMax;
  readonly joinedRuns = storeLimits.joinedRuns;
  private readonly parts: RunSpaceParts;
  private readonly names: TableNames;
  /** The commit that is being prepared. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(parts: RunSpaceParts) {
    this.parts = parts;
    this.names = {
      next: () => `tmp/run-${Buffer.from(parts.random.fill(new Uint8Array(8))).toString('hex')}`,
      failed: (names) => this.remove(names),
    };
  }

  get shareBytes(): number {
    const { place, shareBytes } = this.parts;
    return place.hasDisk?.() === false ? Infinity : shareBytes;
  }

  async write(batch: WriteBatch): Promise<SpilledRun> {
    const { merger, place } = this.parts;
    this.refuseFull(batch.heldBytes);
    const { ranges, areas } = await this.survey(batch);
    const dropped = [...batch.dropped];
    return this.opened({ ranges, areas, dropped, isJoined: false }, () =>
      merger.spill(new BatchSource(batch), this.names, place.site),
    );
  }

  async join(runs: readonly SpilledRun[]): Promise<SpilledRun> {
    const { merger, place } = this.parts;
    const { inputs, sources, areas } = merged(runs as readonly OpenSpilledRun[]);
    this.refuseFull(bytesOf(inputs.flat()));
    const ranges = await this.rangesOf(runs);
    const dropped = runs.flatMap((run) => run.dropped);
    return this.opened({ ranges, areas, dropped, isJoined: true }, () =>
      merger.join({ inputs, sources }, this.names, place.site),
    );
  }

  discard(runs: readonly SpilledRun[]): void {
    for (const { open } of runs as readonly OpenSpilledRun[]) {
      for (const { table } of open.tables) table.close();
    }
    this.remove((runs as readonly OpenSpilledRun[]).flatMap(({ tables }) => tables.map(nameOf)));
  }

  prepare(runs: readonly SpilledRun[], dropped: readonly KeyRange[]): Promise<RunCommit> {
    const prepared = this.turn.then(() =>
      this.prepareNow(runs as readonly OpenSpilledRun[], dropped),
    );
    this.turn = prepared.catch(() => {});
    return prepared;
  }

  abandon({ readers, contents }: RunCommit): void {
    for (const reader of readers) reader.close();
    this.giveUp(contents.tables);
  }

  private async prepareNow(
    runs: readonly OpenSpilledRun[],
    dropped: readonly KeyRange[],
  ): Promise<RunCommit> {
    const { merger, place } = this.parts;
    const { inputs, sources, areas } = merged(runs);
    this.refuseFull(bytesOf(inputs.flat()));
    try {
      const isElsewhere = place.site !== undefined;
      const { outputs, counters } = await merger.commit({ inputs, sources }, isElsewhere);
      const readers = await this.openFiles(outputs);
      const contents = { areas, tables: outputs, dropped };
      return {
        record: encodeRunCommit(contents),
        contents,
        readers,
        ranges: await this.rangesOf(runs),
        writes: counters.outputEntries,
        writtenBytes: counters.outputBytes,
      };
    } catch (error) {
      throw refused(error);
    }
  }

  /** Opens SSTables of the store that nothing names yet. If that fails, they are deleted. */
  private async openFiles(tables: readonly TableEntry[]): Promise<readonly ObjectReader[]> {
    try {
      return await this.parts.files.openFiles(tables);
    } catch (error) {
      this.giveUp(tables);
      throw error;
    }
  }

  /** Opens the temporary SSTables that `write` writes. If that fails, they are deleted. */
  private async opened(
    run: Omit<SpilledRun, 'source'>,
    write: () => Promise<MergeResult>,
  ): Promise<OpenSpilledRun> {
    let tables: readonly TableEntry[] = [];
    try {
      tables = (await write()).outputs;
      const [open] = await this.parts.runFiles.openRuns([{ level: 0, tables }], [], 'refused');
      const { source } = open as OpenRun;
      const limited = new WrittenRun(source, run.ranges);
      return { ...run, source: limited, tables, open: open as OpenRun };
    } catch (error) {
      this.remove(tables.map(nameOf));
      throw this.parts.place.site !== undefined && isFull(error)
        ? spillFull(error)
        : refused(error);
    }
  }

  /** Returns the ranges and the tracked ranges that a batch writes. */
  private async survey(batch: WriteBatch) {
    const { areaOf, newStretch } = this.parts;
    const collector = new RangeCollector();
    const areas = new Set<number>();
    const steps = eachWrite(batch, newStretch(), (write) => {
      collector.add(write);
      const area = areaOf(write.bytes, write.keyFrom, write.keyTo);
      if (area !== undefined) areas.add(area);
    });
    const step = steps.next();
    if (!step.done) await resumeSteps(steps, step.value);
    return { ranges: collector.finish(), areas };
  }

  private async rangesOf(runs: readonly SpilledRun[]): Promise<WrittenRanges> {
    let all = new WrittenRanges();
    const stretch = this.parts.newStretch();
    for (const { ranges } of runs) {
      all = all.with(ranges);
      const pause = stretch.after(all.count * bytesOfRange);
      if (pause !== undefined) await pause;
    }
    return all;
  }

  /** Throws if the log and the flushes might lack space after `bytes` more have been written. */
  private refuseFull(bytes: number): void {
    const { freeBytes, reserveBytes } = this.parts.place;
    const free = freeBytes?.();
    if (free === undefined || free >= bytes + reserveBytes) return;
    const cause = new StorageError({ kind: 'full', operation: 'write', object: 'tables' });
    throw withoutRoom(cause, overReserve(bytes, free, reserveBytes));
  }

  /** Queues SSTables of the store that nothing names for deletion. */
  private giveUp(tables: readonly TableEntry[]): void {
    const { versions } = this.parts;
    versions.obsolete.push(...tables);
    versions.freed();
  }

  /** Deletes runs. A failure has no effect, because the next opening removes them. */
  private remove(names: readonly string[]): void {
    void this.parts.place.objects.delete(names).catch(() => {});
  }
}

/** Returns the runs, oldest first, as the inputs of a merge. */
function merged(runs: readonly OpenSpilledRun[]) {
  return {
    inputs: runs.map(({ tables }) => tables).reverse(),
    sources: runs.map(({ open }) => open.source).reverse(),
    areas: new Set(runs.flatMap((run) => [...run.areas])),
  };
}

function bytesOf(tables: readonly TableEntry[]): number {
  return tables.reduce((sum, { bytes }) => sum + bytes, 0);
}

function nameOf({ name }: TableEntry): string {
  return name;
}

function withoutRoom(cause: unknown, detail: string = fullDetail): Error {
  const { retryAfterSeconds } = storeLimits;
  return fail('overloaded', detail, { cause, retryAfterSeconds });
}

/** Small writes continue in this case, so the detail names the numbers that make the difference. */
function overReserve(bytes: number, free: number, reserveBytes: number): string {
  const mib = (count: number) => Math.ceil(count / (1 << 20));
  return `the storage is full for a program with that many changes: ${mib(bytes)} MiB more are needed and ${mib(free)} MiB are free, of which ${mib(reserveBytes)} MiB are the reserve of smaller writes (twice --store-max-unflushed-mib); nothing was written; free some space, or change fewer rows per program`;
}

/** The storage location has space, but the spill files of this machine do not. */
function spillFull(cause: unknown): Error {
  const detail =
    'the program writes more than the spill files of this machine may hold (--spill-limit-mib, and the free space of --spill-path); nothing was written; free some space, raise the limit, change fewer rows per program, or send it again when fewer programs run';
  return fail('memory_limit', detail, { cause });
}

function isFull(error: unknown): boolean {
  if (error instanceof Postponed) return error.isFull;
  return error instanceof StorageError && error.fault.kind === 'full';
}

/** Returns the problem of the program. Only this program fails; the store continues. */
function refused(error: unknown): unknown {
  if (isFull(error)) return withoutRoom(error);
  if (error instanceof StorageError && error.fault.kind === 'missing') {
    // The SSTable was written just now, so the directory has been replaced meanwhile.
    return refused(new StorageError({ ...error.fault, kind: 'io', operation: 'find' }, error));
  }
  if (error instanceof Postponed || error instanceof Cancelled || error instanceof StorageError) {
    const detail = `nothing was written: ${error.message}`;
    return fail('storage_unavailable', detail, { cause: error });
  }
  return error;
}
