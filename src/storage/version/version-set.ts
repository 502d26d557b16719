/** The mutable part of a store: the memtables, the runs of SSTables, and the current version that consists of them. */

import { invariant } from '#base';
import type { CommitMemory } from '../batch/commit-memory.ts';
import type { Write } from '../batch/write.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import { emptySpan } from '../key/entry-span.ts';
import { levels } from '../manifest/levels.ts';
import { Memtable } from '../memtable/memtable.ts';
import type { Garbage } from '../object/garbage-collector.ts';
import { type AreaOf, type AreaStates, ChangeTracker } from './change-tracker.ts';
import { CommittedRun, type Frozen } from './committed-run.ts';
import { DroppedRanges } from './dropped-ranges.ts';
import type { ManifestEntries } from './manifest-entries.ts';
import { type OpenRun, openRunOf, pastRunOf, tablesOf } from './open-run.ts';
import type { RunCommitContents } from './run-record.ts';
import { Version } from './version.ts';

export class VersionSet implements CommitMemory {
  /** Receives the writes. */
  active = new Memtable();
  /** Frozen memtables and commits in SSTables, newest first, until a manifest contains them. */
  frozen: readonly Frozen[] = [];
  /**
   * True while the active memtable contains some writes of a commit but not all. If an SSTable were made of it then, or a log boundary set
   * after that commit, the missing writes would be lost.
   */
  isApplying = false;
  /** Bytes of keys and values that commits have put into memtables, without those of a replay. */
  writtenBytes = 0;
  /** Runs of the newest confirmed manifest, newest first. */
  runs: readonly OpenRun[] = [];
  /** Number of L0 runs. */
  flushedRuns = 0;
  /** Entries of these runs that the manifest duplicates; `undefined` if they are not known. */
  kept: ManifestEntries | undefined;
  current: Version;
  /** Ranges that commits have dropped. */
  readonly dropped = new DroppedRanges();
  /** Names of SSTables that running compactions read. Only the results of those compactions may replace them. */
  readonly merging = new Set<string>();
  /** Names of SSTables that the manifest being published removes because all their entries were dropped. No compaction may pick them. */
  readonly leaving = new Set<string>();
  /** SSTables to delete: no confirmed manifest contains them and no view reads them. */
  obsolete: Garbage[] = [];
  /** Called when `obsolete` has grown. */
  freed: () => void = () => {};
  /** When each tracked range last changed: now, and at the end of each frozen item. */
  readonly areas: ChangeTracker;
  private readonly areasFrozen = new Map<Frozen, AreaStates>();
  /** The entry of the current write. */
  private readonly entry = emptySpan();
  /** Versions that are still in use. */
  private readonly alive = new Set<Version>();

  constructor(areaOf: AreaOf = () => undefined) {
    this.areas = new ChangeTracker(areaOf);
    this.current = this.assemble();
  }

  /** Memory of all memtables in bytes. */
  get unflushedBytes(): number {
    let bytes = this.active.bytes;
    for (const item of this.frozen) bytes += item.bytes;
    return bytes;
  }

  begin(): void {
    this.isApplying = true;
  }

  insert(write: Write, sequence: number): void {
    const { entry } = this;
    entry.key = write.bytes;
    entry.keyFrom = write.keyFrom;
    entry.keyTo = write.keyTo;
    entry.value = write.bytes;
    entry.valueFrom = write.keyTo;
    entry.valueTo = write.valueTo;
    entry.isTombstone = write.isTombstone;
    this.areas.note(entry);
    this.writtenBytes += write.valueTo - write.keyFrom;
    this.active.insert(entry, sequence);
  }

  end(batch: WriteBatch, sequence: number, crc: number): void {
    this.areas.publish(sequence, crc);
    if (batch.dropped.length > 0) this.dropped.add(batch.dropped, sequence);
    this.isApplying = false;
  }

  /** Freezes the active memtable; later writes go to a new one. */
  freeze(): void {
    this.freezeActive();
    this.install();
  }

  /**
   * Adds a commit in SSTables, whose log record has the checksum `crc`. The memtables so far are below it, and all later writes are above it.
   */
  add(run: CommittedRun, { areas, dropped }: RunCommitContents, crc: number): void {
    if (this.active.entries > 0) this.freezeActive();
    this.areas.noteAreas(areas);
    this.areas.publish(run.sequenceMax, crc);
    this.dropped.add(dropped, run.sequenceMax);
    this.areasFrozen.set(run, this.areas.states());
    this.frozen = [run, ...this.frozen];
    this.install();
  }

  /** Makes the SSTables of recovered commits readable. */
  opened(runs: ReadonlyMap<CommittedRun, OpenRun>): void {
    for (const [run, open] of runs) run.open = open;
    this.install();
  }

  /** All open runs, newest first: those of commits that no manifest contains yet, and those of the manifest. */
  get openRuns(): readonly OpenRun[] {
    return [...this.committedRuns.flatMap(({ open }) => open ?? []), ...this.runs];
  }

  /** Commits in SSTables that no confirmed manifest contains yet. */
  get committedRuns(): readonly CommittedRun[] {
    return this.frozen.filter((item) => item instanceof CommittedRun);
  }

  /** Returns the changes of tracked ranges at the end of a frozen item. */
  areasAt(item: Frozen): AreaStates {
    return this.areasFrozen.get(item) ?? new Map();
  }

  /**
   * Installs the runs of a confirmed manifest. `flushed` is the oldest frozen item if the runs now contain it. `kept` are the entries
   * that the manifest duplicates.
   */
  change(runs: readonly OpenRun[], flushed?: Frozen, kept?: ManifestEntries): void {
    invariant(
      flushed === undefined || flushed === this.frozen.at(-1),
      'frozen items are flushed oldest first',
    );
    if (flushed !== undefined) {
      this.frozen = this.frozen.slice(0, -1);
      this.areasFrozen.delete(flushed);
    }
    this.runs = runs;
    this.kept = kept;
    this.flushedRuns = runs.filter((run) => run.level === levels.flushed).length;
    this.install();
  }

  /** The lowest sequence from which on views do not need some SSTable of a past run; `undefined` if there is none. */
  get pastSeenBelow(): number | undefined {
    const bounds = this.runs.flatMap(({ past }) => past?.entries ?? []);
    return bounds.length === 0
      ? undefined
      : bounds.reduce((min, { seenBelow }) => Math.min(min, seenBelow), Infinity);
  }

  /** Removes the SSTables of past runs that no view needs. `oldest` is the lowest sequence of a view. */
  forgetPast(oldest: number): void {
    if ((this.pastSeenBelow ?? Infinity) > oldest) return;
    const runs = this.runs.map((run) => withPastAbove(run, oldest));
    this.runs = runs.filter(({ tables, past }) => tables.length > 0 || past !== undefined);
    this.install();
  }

  /** Closes the SSTables once the last view has been released. */
  close(): void {
    this.current.release();
  }

  private freezeActive(): void {
    invariant(!this.isApplying, 'all writes of a commit are in one memtable');
    this.active.freeze();
    this.areasFrozen.set(this.active, this.areas.states());
    this.frozen = [this.active, ...this.frozen];
    this.active = new Memtable();
  }

  private install(): void {
    const former = this.current;
    this.current = this.assemble();
    former.release();
  }

  private assemble(): Version {
    const kept = this.kept === undefined ? [] : [this.kept];
    const frozen = this.frozen.flatMap((item) =>
      item instanceof CommittedRun ? (item.open?.source ?? []) : item,
    );
    const runs = this.runs.map((run) => run.source);
    const sources = [this.active, ...frozen, ...kept, ...runs];
    const tables = this.openRuns.flatMap(tablesOf);
    const past = this.runs.flatMap(({ source: above, past }) => (past ? [{ above, ...past }] : []));
    const version = new Version(sources, tables, (it) => this.retire(it), past);
    this.alive.add(version);
    return version;
  }

  private retire(version: Version): void {
    this.alive.delete(version);
    const before = this.obsolete.length;
    for (const held of version.tables) {
      if (--held.holders > 0) continue;
      held.table.close();
      const { name, bytes } = held.table.entry;
      if (!this.isNeeded(name)) this.obsolete.push({ name, bytes });
    }
    if (this.obsolete.length > before) this.freed();
  }

  /**
   * Returns whether a live version refers to the file. One file can be open twice, if a compaction that stopped has raised its lower bound.
   */
  private isNeeded(name: string): boolean {
    for (const { tables } of this.alive) {
      if (tables.some(({ table }) => table.entry.name === name)) return true;
    }
    return false;
  }
}

/** Returns the run without the SSTables of its past run that views from `oldest` on do not need. */
function withPastAbove(run: OpenRun, oldest: number): OpenRun {
  const { level, tables, past } = run;
  if (past === undefined) return run;
  const needed = past.entries.map(({ seenBelow }) => seenBelow > oldest);
  if (!needed.includes(false)) return run;
  const isNeeded = (_: unknown, i: number): boolean => needed[i] === true;
  return openRunOf(
    level,
    tables,
    pastRunOf(past.entries.filter(isNeeded), past.tables.filter(isNeeded)),
  );
}
