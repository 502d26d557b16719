/**
 * What surveys have found, kept in the store: the writer writes it, and finds it there after a start; readers take what the writer has found
 * (docs/decisions/0020). No program waits for it, and what is lost is surveyed anew.
 */

import type { Timer, World } from '#base';
import type { Table } from '#catalog';
import type { Store, Transaction } from '#storage';
import type { Surveys } from '../surveys.ts';
import type { TableSynopsis } from '../synopsis/synopsis.ts';
import { eachEntry } from './entries.ts';
import {
  collectedAt,
  readSynopsis,
  synopsisKey,
  synopsisRange,
  synopsisValue,
  tableOfKey,
} from './synopsis-record.ts';

/** From a finding on, so that those of many tables become one commit; and between two looks of a reader. */
const cadenceMs = 60_000;
/** Of all records. */
const bytesMax = 64 << 20;
/** Records that one commit deletes. */
const deletionsMax = 4_096;

interface ArchiveParts {
  readonly store: Pick<Store, 'begin' | 'snapshot' | 'pressure'>;
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  readonly surveys: Surveys;
  /** Of the newest catalog. */
  readonly tables: () => readonly Table[];
  /** Only looks at what the writer has written. */
  readonly isReader: boolean;
}

export class Archive {
  /** Resolves when what was there at the start is known. */
  loaded: Promise<void> = Promise.resolve();
  private readonly parts: ArchiveParts;
  /** Bytes of the records that the store has, and when each was collected, by physical id. */
  private readonly stored = new Map<
    number,
    { readonly bytes: number; readonly atUnixMs: number }
  >();
  private bytes = 0;
  private readonly pending = new Map<number, TableSynopsis>();
  private readonly invalid: Uint8Array[] = [];
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(parts: ArchiveParts) {
    this.parts = parts;
  }

  start(): void {
    const { surveys, isReader } = this.parts;
    this.loaded = this.work(() => this.load());
    if (isReader) {
      this.later(() => this.load());
      return;
    }
    surveys.kept = (synopsis) => {
      this.pending.set(synopsis.physicalId, synopsis);
      if (!this.isStopped) this.later(() => this.flush());
    };
  }

  /** Writes what is pending; nothing happens from then on. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.working;
    if (!this.parts.isReader) await this.flush().catch(() => {});
  }

  private work(task: () => Promise<void>): Promise<void> {
    // Storage that fails is seen by others, who end the process or open it again.
    this.working ??= task()
      .catch(() => {})
      .finally(() => {
        this.working = undefined;
      });
    return this.working;
  }

  private later(task: () => Promise<void>): void {
    this.timer ??= this.parts.world.scheduler.after(cadenceMs, () => {
      this.timer = undefined;
      void this.work(task).then(() => {
        const isMore = this.parts.isReader || this.pending.size > 0;
        if (isMore && !this.isStopped) this.later(task);
      });
    });
  }

  private async load(): Promise<void> {
    const { store, world, surveys, tables, isReader } = this.parts;
    const known = new Set(tables().map(({ physicalId }) => physicalId));
    const snapshot = store.snapshot();
    try {
      await eachEntry(snapshot, synopsisRange, world.scheduler, (key, value) => {
        const id = tableOfKey(key);
        const atUnixMs = collectedAt(value);
        if (id !== undefined && atUnixMs !== undefined) {
          if (this.stored.get(id)?.atUnixMs === atUnixMs) return;
          const synopsis = known.has(id) ? readSynopsis(key, value) : undefined;
          if (synopsis !== undefined) {
            this.note(id, value.length, atUnixMs);
            surveys.restore(synopsis);
            return;
          }
        }
        if (!isReader && this.invalid.length < deletionsMax) this.invalid.push(key.slice());
      });
    } finally {
      snapshot.release();
    }
  }

  private note(id: number, bytes: number, atUnixMs: number): void {
    this.bytes += bytes - (this.stored.get(id)?.bytes ?? 0);
    this.stored.set(id, { bytes, atUnixMs });
  }

  /** One commit at most. Rejects when the storage fails. */
  private async flush(): Promise<void> {
    const { store, tables } = this.parts;
    // Programs go first; what is pending stays: one synopsis a table.
    if (store.pressure !== 'none') return;
    const known = new Set(tables().map(({ physicalId }) => physicalId));
    const gone = [...this.stored.keys()].filter((id) => !known.has(id)).slice(0, deletionsMax);
    const puts: { readonly synopsis: TableSynopsis; readonly value: Uint8Array }[] = [];
    let bytes = this.bytes;
    for (const synopsis of this.pending.values()) {
      const value = known.has(synopsis.physicalId) ? synopsisValue(synopsis) : undefined;
      bytes += value?.length ?? 0;
      if (value !== undefined && bytes <= bytesMax) puts.push({ synopsis, value });
    }
    const deletions = [...this.invalid, ...gone.map(synopsisKey)];
    if (puts.length + deletions.length > 0 && !(await this.commit(puts, deletions))) return;
    this.pending.clear();
    this.invalid.length = 0;
    for (const id of gone) {
      this.bytes -= this.stored.get(id)?.bytes ?? 0;
      this.stored.delete(id);
    }
    for (const { synopsis, value } of puts) {
      this.note(synopsis.physicalId, value.length, synopsis.collectedAtUnixMs);
    }
  }

  private async commit(
    puts: readonly { readonly synopsis: TableSynopsis; readonly value: Uint8Array }[],
    deletions: readonly Uint8Array[],
  ): Promise<boolean> {
    let transaction: Transaction | undefined;
    try {
      transaction = this.parts.store.begin();
      for (const { synopsis, value } of puts) {
        transaction.put(synopsisKey(synopsis.physicalId), value);
      }
      for (const key of deletions) transaction.delete(key);
      return (await transaction.commit()).kind === 'committed';
    } catch {
      return false;
    } finally {
      transaction?.release();
    }
  }
}
