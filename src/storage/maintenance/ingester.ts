/**
 * Puts entries below what commits have written: a merge makes tables of them, one manifest names these as the oldest tier.
 *
 * What makes that right: the bottom lies below them still, and has nothing of a later sequence, since it is held from the snapshot on; what it has of their keys
 * is what the snapshot shows, or older. All that is later lies above, deletions too, because the snapshot keeps those alive.
 */

import { aboveBottom } from '../compaction/above-bottom.ts';
import type { SortedEntries } from '../contract/sorted-entries.ts';
import type { FlushCounters } from '../contract/statistics.ts';
import type { Ingestion, Snapshot } from '../contract/store.ts';
import type { Log } from '../log/log.ts';
import type { Run, TableEntry } from '../manifest/manifest.ts';
import { Cancelled } from '../merge/merge-order.ts';
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
  /** Tables made of memory, whatever it was. */
  readonly counters: FlushCounters;
  /** Resolves when no transaction of now is open, or on its way into memory. */
  readonly settled: () => Promise<void>;
  /** Merges may reach the bottom again. */
  readonly released: () => void;
  /** This writer may not go on. */
  readonly failed: (error: Error) => void;
}

export class Ingester {
  private readonly parts: IngesterParts;

  constructor(parts: IngesterParts) {
    this.parts = parts;
  }

  /** Takes `snapshot` over, which was made in this turn. */
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
      // A table must never hold what follows from a commit that the log could still lose.
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
    const runs = (now: readonly Run[]): readonly Run[] => {
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

  /** No manifest names them. */
  private giveUp(tables: readonly TableEntry[]): void {
    const { versions } = this.parts;
    versions.obsolete.push(...tables);
    versions.freed();
  }
}
