/**
 * Adds entries below the data of all commits: the entries are written to new SSTables, and one
 * manifest adds these as the oldest tier.
 *
 * This order is right for two reasons. The bottom level is still below them and has no entry of a
 * later sequence, because compactions into it have been stopped since the snapshot. Its versions of
 * the added keys are those that the snapshot shows, or older. All later entries are above them,
 * including tombstones, because the snapshot keeps these alive.
 */

import { aboveBottom } from '../compaction/above-bottom.ts';
import type { SortedEntries } from '../contract/sorted-entries.ts';
import type { FlushCounters } from '../contract/statistics.ts';
import type { Ingestion, Snapshot } from '../contract/store.ts';
import type { Log } from '../log/log.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { Cancelled } from '../merge/merge-job.ts';
import type { VersionSet } from '../version/version-set.ts';
import type { Compactor } from './compactor.ts';
import { Postponed } from './postponed.ts';
import type { Publisher } from './publisher.ts';
import type { TableMaker } from './table-maker.ts';

interface IngesterParts {
  readonly log: Log;
  readonly versions: VersionSet;
  readonly merger: TableMaker;
  readonly publisher: Publisher;
  readonly compactor: Compactor;
  /** Counters of all SSTables that were written from memory, by flushes and by ingestions. */
  readonly counters: FlushCounters;
  /** Resolves when every transaction that is open now has ended and its commit has been applied. */
  readonly settled: () => Promise<void>;
  /** Called when compactions may reach the bottom level again. */
  readonly released: () => void;
  /** Called if this writer must stop. */
  readonly failed: (error: Error) => void;
}

export class Ingester {
  private readonly parts: IngesterParts;

  constructor(parts: IngesterParts) {
    this.parts = parts;
  }

  /**
   * Begins an ingestion. Takes ownership of `snapshot`, which must have been created in the same
   * event-loop iteration.
   */
  begin(snapshot: Snapshot): Ingestion {
    const { compactor, released, settled } = this.parts;
    compactor.holdBottom();
    let isReleased = false;
    return {
      snapshot,
      add: (entries, isWanted) => this.add(snapshot.sequence, entries, isWanted),
      settled,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        snapshot.release();
        compactor.releaseBottom();
        released();
      },
    };
  }

  private async add(
    sequence: number,
    entries: SortedEntries,
    isWanted: () => boolean,
  ): Promise<boolean> {
    if (entries.order.length === 0) return isWanted();
    try {
      // An SSTable must never contain data derived from a commit that the log could still lose.
      await this.parts.log.durable(sequence);
      return await this.publish(sequence, entries, isWanted);
    } catch (error) {
      if (!(error instanceof Postponed || error instanceof Cancelled)) {
        this.parts.failed(error as Error);
      }
      throw error;
    }
  }

  private async publish(
    sequence: number,
    entries: SortedEntries,
    isWanted: () => boolean,
  ): Promise<boolean> {
    const { merger, publisher, versions, counters } = this.parts;
    const { outputs, counters: made } = await merger.ingest(entries, sequence);
    let isAdded = false;
    const runs = (now: readonly RunEntry[]): readonly RunEntry[] => {
      isAdded = outputs.length > 0 && isWanted();
      return isAdded ? aboveBottom(now, outputs) : now;
    };
    await publisher.publish({ runs, made: outputs });
    if (!isAdded) this.giveUp(outputs);
    counters.flushes += outputs.length;
    counters.flushedBytes += made.outputBytes;
    versions.writtenBytes += made.outputBytes;
    return isAdded;
  }

  /** Queues SSTables that no manifest names for deletion. */
  private giveUp(tables: readonly TableEntry[]): void {
    const { versions } = this.parts;
    versions.obsolete.push(...tables);
    versions.freed();
  }
}
