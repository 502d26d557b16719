/** Publishes changes of the runs one at a time: manifest first, then the version that readers get; and deletes what became free. */

import { dropRanges } from '../compaction/apply-job.ts';
import { RangeSet } from '../key/range-set.ts';
import type { Durable } from '../manifest/durable.ts';
import type { Run, TableEntry } from '../manifest/manifest.ts';
import type { Memtable } from '../memtable/memtable.ts';
import { StorageError } from '../object/trouble.ts';
import { areasProperty, encodeAreas } from '../version/areas.ts';
import { type DroppedRange, withDropped } from '../version/dropped-ranges.ts';
import { type KeptEntries, readKept, withoutKept } from '../version/kept-entries.ts';
import { type HeldTable, type OpenRun, runOf } from '../version/open-run.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { VersionSet } from '../version/version-set.ts';
import { Postponed, postponedWhenFull, postponedWhenItMayPass } from './postponed.ts';
import type { PublishPace } from './publish-pace.ts';
import { type RunChange, RunChanges } from './run-changes.ts';

interface PublisherParts {
  readonly durable: Durable;
  readonly versions: VersionSet;
  readonly files: TableFiles;
  /** The lowest sequence that a view reads at. */
  readonly oldestView: () => number | undefined;
  readonly pace: PublishPace;
  /** Keys of entries that every manifest keeps as well; none by default. */
  readonly keptKeys?: readonly Uint8Array[];
}

export class Publisher {
  private readonly parts: PublisherParts;
  private queue: Promise<unknown> = Promise.resolve();
  private readonly changes = new RunChanges();
  private nextFile: number;

  constructor(parts: PublisherParts) {
    this.parts = parts;
    this.nextFile = parts.durable.manifest.nextFile;
  }

  /** A name that no table has, or will have. */
  nextName(): string {
    return this.parts.durable.tableName(this.nextFile++);
  }

  /** Whether somebody reads the store elsewhere. Asks the place. */
  hasReaders(): Promise<boolean> {
    const { durable } = this.parts;
    return durable.trash.hasReaders(durable.newest);
  }

  /** Dropped tables that wait for a reader to move on. */
  get uncollected(): number {
    return this.parts.durable.trash.count;
  }

  /** Resolves when the change is durable and readers see it. Rejects when this writer may not go on. */
  publish(change: RunChange): Promise<void> {
    this.changes.add(change);
    return this.inTurn(() => this.publishWith(change));
  }

  /** Publications under way do not wait for others to join them any more. */
  hurry(): void {
    this.parts.pace.hurry();
  }

  /**
   * Dropped ranges that tables of a manifest with this boundary may lack: no view reads them, and the state that the manifest describes does
   * not have them either, or a reader elsewhere would miss rows. Once in it, a range stays.
   */
  settledRanges(boundary = this.parts.durable.manifest.boundary): readonly DroppedRange[] {
    const { versions, oldestView } = this.parts;
    return versions.dropped.upTo(Math.min(boundary, oldestView() ?? Infinity));
  }

  /** Lets go of tables that hold nothing but dropped keys, if there are any. */
  reclaim(): Promise<void> {
    return this.inTurn(async () => {
      const { runs, dropped } = this.parts.versions;
      const boundary = this.boundaryNow();
      const after = this.withoutDropped(runs.map(runOf), boundary);
      const isSmaller = after.some((run, i) => run.tables.length !== runs[i]?.tables.length);
      const settled = dropped.upTo(this.parts.durable.manifest.boundary);
      const isKnown =
        dropped.upTo(boundary).length === settled.length &&
        dropped.neededBy(after, boundary).length === settled.length;
      if (after.length !== runs.length || isSmaller || !isKnown) {
        await this.carryOut([{ runs: (now) => now }]);
      }
    });
  }

  /** Deletes what nobody needs. A failure to delete is no harm; being fenced is. */
  collect(): Promise<void> {
    return this.inTurn(() => this.sweep());
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.queue.then(work);
    this.queue = turn.catch(() => {});
    return turn;
  }

  /** Publishes all changes that wait, unless an earlier turn has taken this one along. */
  private async publishWith(change: RunChange): Promise<void> {
    const { changes } = this;
    if (changes.isWaiting(change)) await this.parts.pace.turn();
    if (changes.isWaiting(change)) await this.publishTogether(changes.take());
    changes.settle(change);
  }

  private async publishTogether(together: readonly RunChange[]): Promise<void> {
    try {
      await this.carryOut(together);
    } catch (error) {
      for (const change of together) {
        this.changes.failed(change, error);
        if (error instanceof Postponed) this.giveUp(change.made ?? []);
      }
    }
  }

  /** Tables that no manifest will name: the next sweep deletes them. */
  private giveUp(tables: readonly TableEntry[]): void {
    this.parts.versions.obsolete.push(...tables);
  }

  private async carryOut(changes: readonly RunChange[]): Promise<void> {
    const { versions } = this.parts;
    const { flushed } = changes.find((change) => change.flushed !== undefined) ?? {};
    const boundary = flushed?.sequenceMax ?? this.boundaryNow();
    let runs: readonly Run[] = versions.runs.map(runOf);
    for (const change of changes) runs = change.runs(runs);
    const after = this.withoutDropped(runs, boundary);
    const leaving = lostIn(after, runs);
    for (const name of leaving) versions.leaving.add(name);
    try {
      await this.publishRuns(after, boundary, flushed);
    } finally {
      for (const name of leaving) versions.leaving.delete(name);
    }
  }

  private async publishRuns(
    after: readonly Run[],
    boundary: number,
    flushed: Memtable | undefined,
  ): Promise<void> {
    const { durable, versions, files } = this.parts;
    const opened = await files.openRuns(after, versions.runs, 'refused').catch((error: unknown) => {
      throw postponedWhenItMayPass(error);
    });
    const { nextFile } = this;
    const needed = versions.dropped.neededBy(after, boundary);
    const kept = await this.keptWith(flushed);
    const others = withDropped(this.propertiesWith(flushed), needed);
    const properties = kept === undefined ? withoutKept(others) : kept.within(others, boundary);
    const contents = { runs: after, boundary, lastSequence: boundary, nextFile, properties };
    try {
      await durable.publish(contents);
    } catch (error) {
      for (const { table } of newIn(opened, versions.runs)) table.close();
      throw postponedWhenFull(error);
    }
    versions.dropped.published(needed, boundary);
    versions.change(opened, flushed, kept);
  }

  /** What is kept beside the tables once `flushed` is in them; undefined when the tables cannot say. */
  private async keptWith(flushed: Memtable | undefined): Promise<KeptEntries | undefined> {
    const { versions, keptKeys = [] } = this.parts;
    if (keptKeys.length === 0) return undefined;
    const sources = versions.runs.map((run) => run.source);
    const before = versions.kept ?? (await readKept(sources, keptKeys).catch(() => undefined));
    const kept = flushed === undefined ? before : before?.after(flushed, keptKeys);
    return kept?.isSmall === true ? kept : undefined;
  }

  private propertiesWith(flushed: Memtable | undefined): ReadonlyMap<string, Uint8Array> {
    const { durable, versions } = this.parts;
    const { properties } = durable.manifest;
    if (flushed === undefined) return properties;
    const areas = encodeAreas(versions.areasAt(flushed));
    return new Map(properties).set(areasProperty, areas);
  }

  /** With nothing in the memtables or on its way there, everything durable is in tables: a commit may have done nothing but drop. */
  private boundaryNow(): number {
    const { durable, versions } = this.parts;
    const { active, frozen, isApplying } = versions;
    const isAllFlushed = !isApplying && active.entries === 0 && frozen.length === 0;
    return isAllFlushed ? durable.log.durableTo : durable.manifest.boundary;
  }

  private withoutDropped(runs: readonly Run[], boundary: number): readonly Run[] {
    const settled = this.settledRanges(boundary);
    if (settled.length === 0) return runs;
    return dropRanges(runs, new RangeSet(settled), this.parts.versions.merging);
  }

  private async sweep(): Promise<void> {
    const { durable, versions } = this.parts;
    const tables = versions.obsolete;
    versions.obsolete = [];
    try {
      await durable.collect(tables);
    } catch (error) {
      if (error instanceof StorageError && error.trouble.kind === 'fenced') throw error;
    }
  }
}

/** Names of tables of `before` that `after` lacks. */
function lostIn(after: readonly Run[], before: readonly Run[]): readonly string[] {
  const kept = new Set(after.flatMap((run) => run.tables));
  const lost = before.flatMap((run) => run.tables).filter((table) => !kept.has(table));
  return lost.map(({ name }) => name);
}

/** Tables of `opened` that `now` does not have. */
function newIn(opened: readonly OpenRun[], now: readonly OpenRun[]): readonly HeldTable[] {
  const known = new Set(now.flatMap((run) => run.tables));
  return opened.flatMap((run) => run.tables).filter((held) => !known.has(held));
}
