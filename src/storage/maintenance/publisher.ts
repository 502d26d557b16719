/**
 * Publishes changes of the runs one at a time: first the manifest, then the version for readers.
 * Also deletes obsolete SSTables.
 */

import { dropRanges } from '../compaction/apply-job.ts';
import type { CursorSource } from '../cursor/source.ts';
import { RangeSet } from '../key/range-set.ts';
import type { Durable } from '../manifest/durable.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { withoutPast } from '../manifest/run-part.ts';
import { StorageError } from '../object/storage-fault.ts';
import { areasProperty, encodeAreas } from '../version/change-tracker.ts';
import { CommittedRun, type Frozen } from '../version/committed-run.ts';
import { type DroppedRange, withDropped } from '../version/dropped-ranges.ts';
import { type ManifestEntries, readKept, withoutKept } from '../version/manifest-entries.ts';
import { type HeldTable, type OpenRun, runOf, tablesOf } from '../version/open-run.ts';
import type { TableFiles } from '../version/table-files.ts';
import type { VersionSet } from '../version/version-set.ts';
import { Postponed, postponedWhenFull, postponedWhenItMayPass } from './postponed.ts';
import type { PublishPace } from './publish-pace.ts';
import { type RunChange, RunChanges } from './run-changes.ts';

interface PublisherParts {
  readonly durable: Durable;
  readonly versions: VersionSet;
  readonly files: TableFiles;
  /** Returns the lowest sequence at which a view reads. */
  readonly oldestView: () => number | undefined;
  readonly pace: PublishPace;
  /** Keys of entries that every manifest contains as well; none by default. */
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

  /** Returns a name that no SSTable has had or will have. */
  nextName(): string {
    return this.parts.durable.tableName(this.nextFile++);
  }

  /**
   * Returns true if readers elsewhere follow the store. Sends a request to the storage location.
   */
  hasReaders(): Promise<boolean> {
    const { durable } = this.parts;
    return durable.obsoleteTables.hasReaders(durable.newest);
  }

  /** Number of removed SSTables that a reader may still use. */
  get uncollected(): number {
    return this.parts.durable.obsoleteTables.count;
  }

  /**
   * Resolves when the change is durable and visible to readers. Rejects if this writer must stop.
   */
  publish(change: RunChange): Promise<void> {
    this.changes.add(change);
    return this.inTurn(() => this.publishWith(change));
  }

  /** Lets pending publications begin immediately, without waiting for further changes. */
  hurry(): void {
    this.parts.pace.hurry();
  }

  /**
   * Returns the dropped ranges whose keys may be missing from the SSTables of a manifest with this
   * boundary. No view reads such a range, and the state of the manifest does not contain it either;
   * otherwise a reader elsewhere would miss rows. A range stays in the result permanently.
   */
  settledRanges(boundary = this.parts.durable.manifest.boundary): readonly DroppedRange[] {
    const { versions, oldestView } = this.parts;
    return versions.dropped.upTo(Math.min(boundary, oldestView() ?? Infinity));
  }

  /** Drops SSTables that contain only dropped keys, if there are any. */
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

  /**
   * Removes past runs that no view needs, and deletes obsolete objects. A failed deletion is ignored,
   * except for fencing.
   */
  collect(): Promise<void> {
    return this.inTurn(() => {
      this.parts.versions.forgetPast(this.parts.oldestView() ?? Infinity);
      return this.sweep();
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.queue.then(work);
    this.queue = turn.catch(() => {});
    return turn;
  }

  /** Publishes all waiting changes, unless an earlier publication has included this one. */
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

  /** Queues SSTables that no manifest will name for the next sweep. */
  private giveUp(tables: readonly TableEntry[]): void {
    this.parts.versions.obsolete.push(...tables);
  }

  private async carryOut(changes: readonly RunChange[]): Promise<void> {
    const { versions } = this.parts;
    const { flushed } = changes.find((change) => change.flushed !== undefined) ?? {};
    const boundary = flushed?.sequenceMax ?? this.boundaryNow();
    let runs: readonly RunEntry[] = versions.runs.map(runOf);
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
    after: readonly RunEntry[],
    boundary: number,
    flushed: Frozen | undefined,
  ): Promise<void> {
    const { durable, versions, files } = this.parts;
    const isRun = flushed instanceof CommittedRun && flushed.open !== undefined;
    const known = isRun ? [flushed.open as OpenRun, ...versions.runs] : versions.runs;
    const opened = await files.openRuns(after, known, 'refused').catch((error: unknown) => {
      throw postponedWhenItMayPass(error);
    });
    const { nextFile } = this;
    const needed = versions.dropped.neededBy(after, boundary);
    const kept = await this.keptWith(flushed);
    const others = withDropped(this.propertiesWith(flushed), needed);
    const properties = kept === undefined ? withoutKept(others) : kept.within(others, boundary);
    const contents = {
      runs: withoutPast(after),
      boundary,
      lastSequence: boundary,
      nextFile,
      properties,
    };
    try {
      await durable.publish(contents);
    } catch (error) {
      for (const { table } of newIn(opened, known)) table.close();
      throw postponedWhenFull(error);
    }
    versions.dropped.published(needed, boundary);
    versions.change(opened, flushed, kept);
  }

  /**
   * Returns the entries to duplicate in the manifest that adds `flushed`; `undefined` if they
   * cannot be read from the SSTables.
   */
  private async keptWith(flushed: Frozen | undefined): Promise<ManifestEntries | undefined> {
    const { versions, keptKeys = [] } = this.parts;
    if (keptKeys.length === 0) return undefined;
    const sources = versions.runs.map((run) => run.source);
    const before = versions.kept ?? (await readKept(sources, keptKeys).catch(() => undefined));
    const newer = flushed instanceof CommittedRun ? flushed.open?.source : flushed;
    const kept = newer === undefined ? before : await keptAfter(before, newer, keptKeys);
    return kept?.isSmall === true ? kept : undefined;
  }

  private propertiesWith(flushed: Frozen | undefined): ReadonlyMap<string, Uint8Array> {
    const { durable, versions } = this.parts;
    const { properties } = durable.manifest;
    if (flushed === undefined) return properties;
    const areas = encodeAreas(versions.areasAt(flushed));
    return new Map(properties).set(areasProperty, areas);
  }

  /**
   * Returns the boundary of the next manifest. If the memtables are empty and no commit is being
   * applied, all durable data is in SSTables. The log may be ahead of the last manifest
   * nevertheless, because a commit may have only dropped a range.
   */
  private boundaryNow(): number {
    const { durable, versions } = this.parts;
    const { active, frozen, isApplying } = versions;
    const isAllFlushed = !isApplying && active.entries === 0 && frozen.length === 0;
    return isAllFlushed ? durable.log.durableTo : durable.manifest.boundary;
  }

  private withoutDropped(runs: readonly RunEntry[], boundary: number): readonly RunEntry[] {
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
      if (error instanceof StorageError && error.fault.kind === 'fenced') throw error;
    }
  }
}

/** Returns the entries to duplicate after `newer`; `undefined` if they cannot be read. */
async function keptAfter(
  before: ManifestEntries | undefined,
  newer: CursorSource,
  keys: readonly Uint8Array[],
): Promise<ManifestEntries | undefined> {
  return before?.after(newer, keys).catch(() => undefined);
}

/** Returns the names of the SSTables of `before` that are not in `after`. */
function lostIn(after: readonly RunEntry[], before: readonly RunEntry[]): readonly string[] {
  const kept = new Set(after.flatMap((run) => run.tables));
  const lost = before.flatMap((run) => run.tables).filter((table) => !kept.has(table));
  return lost.map(({ name }) => name);
}

/** Returns the SSTables of `opened` that are not in `now`. */
function newIn(opened: readonly OpenRun[], now: readonly OpenRun[]): readonly HeldTable[] {
  const known = new Set(now.flatMap(tablesOf));
  return opened.flatMap(tablesOf).filter((held) => !known.has(held));
}
