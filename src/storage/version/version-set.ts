/** The changing part of the store: the memtables, the runs of tables, and the version that they make up now. */

import { invariant } from '#base';
import type { CommitMemory } from '../batch/commit-memory.ts';
import type { Write } from '../batch/write.ts';
import type { WriteBatch } from '../batch/write-batch.ts';
import { emptySpan } from '../key/entry-span.ts';
import { levels } from '../manifest/levels.ts';
import { Memtable } from '../memtable/memtable.ts';
import type { Garbage } from '../object/garbage-collector.ts';
import { type AreaOf, type AreaStates, Areas } from './areas.ts';
import { DroppedRanges } from './dropped-ranges.ts';
import type { KeptEntries } from './kept-entries.ts';
import type { OpenRun } from './open-run.ts';
import { Version } from './version.ts';

export class VersionSet implements CommitMemory {
  /** Takes the writes. */
  active = new Memtable();
  /** Frozen, newest first, until they are flushed. */
  frozen: readonly Memtable[] = [];
  /**
   * The active memtable holds some writes of a commit and lacks others: a table made of it, or a log boundary drawn behind that commit, would lose
   * what is missing.
   */
  isApplying = false;
  /** Bytes of keys and values that commits have put into memtables, those of a replay aside. */
  writtenBytes = 0;
  /** Newest first, as the newest confirmed manifest has them. */
  runs: readonly OpenRun[] = [];
  /** Runs that were flushed and not merged yet. */
  flushedRuns = 0;
  /** Entries of these runs that are kept beside them; undefined when that is not known. */
  kept: KeptEntries | undefined;
  current: Version;
  /** What commits have given up. */
  readonly dropped = new DroppedRanges();
  /** Names of tables that merges under way read: only their results may replace them. */
  readonly merging = new Set<string>();
  /** Names of tables that the manifest on its way lets go because all in them was dropped: no merge takes them up any more. */
  readonly leaving = new Set<string>();
  /** Tables that no confirmed manifest has and nobody reads: to be deleted. */
  obsolete: Garbage[] = [];
  /** Called when `obsolete` has grown. */
  freed: () => void = () => {};
  /** When each area last changed: now, and when each memtable was frozen. */
  readonly areas: Areas;
  private readonly areasFrozen = new Map<Memtable, AreaStates>();
  /** Of the write at hand. */
  private readonly entry = emptySpan();
  /** Versions that somebody holds. */
  private readonly alive = new Set<Version>();

  constructor(areaOf: AreaOf = () => undefined) {
    this.areas = new Areas(areaOf);
    this.current = this.assemble();
  }

  /** Memory of all memtables. */
  get unflushedBytes(): number {
    let bytes = this.active.bytes;
    for (const memtable of this.frozen) bytes += memtable.bytes;
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
    entry.isDelete = write.isDelete;
    this.areas.note(entry);
    this.writtenBytes += write.valueTo - write.keyFrom;
    this.active.insert(entry, sequence);
  }

  end(batch: WriteBatch, sequence: number, crc: number): void {
    this.areas.publish(sequence, crc);
    if (batch.dropped.length > 0) this.dropped.add(batch.dropped, sequence);
    this.isApplying = false;
  }

  /** The next write goes to a new memtable. */
  freeze(): void {
    invariant(!this.isApplying, 'all writes of a commit are in one memtable');
    this.active.freeze();
    this.areasFrozen.set(this.active, this.areas.states());
    this.frozen = [this.active, ...this.frozen];
    this.active = new Memtable();
    this.install();
  }

  /** The areas as they were when `memtable` was frozen. */
  areasAt(memtable: Memtable): AreaStates {
    return this.areasFrozen.get(memtable) ?? new Map();
  }

  /**
   * After the manifest with these runs has been confirmed; `flushed` is the oldest frozen memtable, if they hold it now, and `kept` is what is
   * kept beside them.
   */
  change(runs: readonly OpenRun[], flushed?: Memtable, kept?: KeptEntries): void {
    invariant(
      flushed === undefined || flushed === this.frozen.at(-1),
      'memtables are flushed oldest first',
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

  /** Closes the tables, once the last view is gone. */
  close(): void {
    this.current.release();
  }

  private install(): void {
    const former = this.current;
    this.current = this.assemble();
    former.release();
  }

  private assemble(): Version {
    const kept = this.kept === undefined ? [] : [this.kept];
    const runs = this.runs.map((run) => run.source);
    const sources = [this.active, ...this.frozen, ...kept, ...runs];
    const tables = this.runs.flatMap((run) => run.tables);
    const version = new Version(sources, tables, (it) => this.retire(it));
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

  /** The same file may be open twice: a compaction that goes on later has raised where it starts. */
  private isNeeded(name: string): boolean {
    for (const { tables } of this.alive) {
      if (tables.some(({ table }) => table.entry.name === name)) return true;
    }
    return false;
  }
}
