/**
 * Stores table statistics and execution models. The writer writes them and reloads them after a restart. Readers load the records of the writer
 * (docs/decisions/0020 and 0025). No program waits for the archive, and lost records are collected again.
 */

import type { Timer, World } from '#base';
import type { Snapshot, Store } from '#storage';
import { commitRecords, eachReadable } from './entries.ts';
import { type Changes, deletionsMax, type Shelf } from './shelf.ts';

/**
 * Delay between a change and its commit, so that one commit contains many changes. The delay is also the interval at which a reader loads
 * records.
 */
const cadenceMs = 60_000;

interface ArchiveParts {
  readonly store: Pick<Store, 'begin' | 'snapshot' | 'pressure'>;
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  /** One shelf for each kind of record. */
  readonly shelves: readonly Shelf[];
  /** The process is a read-only reader, which only loads the records of the writer. */
  readonly isReader: boolean;
}

export class Archive {
  /** Resolves when the stored records have been loaded. The promise never rejects. */
  loaded: Promise<void> = Promise.resolve();
  private readonly parts: ArchiveParts;
  private readonly invalid: Uint8Array[] = [];
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(parts: ArchiveParts) {
    this.parts = parts;
  }

  /** Loads the stored records. From then on, a writer stores changes, and a reader loads periodically. */
  start(): void {
    const { shelves, isReader } = this.parts;
    this.loaded = this.work(() => this.load());
    if (isReader) {
      this.later(() => this.load());
      return;
    }
    for (const shelf of shelves) {
      shelf.onPending(() => {
        if (!this.isStopped) this.later(() => this.flush());
      });
    }
  }

  /** Stops the archive. A writer first writes the pending changes. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.working;
    if (!this.parts.isReader) await this.flush(true).catch(() => {});
  }

  private work(task: () => Promise<void>): Promise<void> {
    // Another component handles a storage fault: it ends the process or reopens the store.
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
        const { isReader, shelves } = this.parts;
        const isMore = isReader || shelves.some(({ isPending }) => isPending);
        if (isMore && !this.isStopped) this.later(task);
      });
    });
  }

  private async load(): Promise<void> {
    const { store, world, shelves, isReader } = this.parts;
    let snapshot: Snapshot | undefined;
    try {
      snapshot = store.snapshot();
      for (const shelf of shelves) {
        const see = (key: Uint8Array, value: Uint8Array) => {
          if (shelf.see(key, value) || isReader || this.invalid.length >= deletionsMax) return;
          this.invalid.push(key.slice());
        };
        await eachReadable(snapshot, shelf.range, world.scheduler, see);
      }
    } finally {
      snapshot?.release();
      for (const shelf of shelves) shelf.seen();
    }
  }

  /** Writes the pending changes in at most one commit. Rejects if the storage fails. */
  private async flush(isLast = false): Promise<void> {
    const { store, shelves } = this.parts;
    // Programs have priority. The pending changes remain pending.
    if (store.pressure !== 'none') return;
    const changes: Changes[] = [];
    for (const shelf of shelves) changes.push(await shelf.changes(isLast));
    const puts = changes.flatMap((one) => one.puts);
    const invalid = [...this.invalid];
    // A new record replaces an invalid one with the same key.
    const written = new Set(puts.map(({ key }) => key.toHex()));
    const deletions = [...invalid, ...changes.flatMap((one) => one.deletions)].filter(
      (key) => !written.has(key.toHex()),
    );
    if (puts.length + deletions.length > 0 && !(await commitRecords(store, puts, deletions))) {
      return;
    }
    this.invalid.splice(0, invalid.length);
    for (const { done } of changes) done();
  }
}
