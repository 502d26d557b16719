/**
 * What is known of tables and of executions, kept in the store: the writer writes it, and finds it there after a start; readers take what the writer has
 * found (docs/decisions/0020 and 0025). No program waits for it, and what is lost is found out anew.
 */

import type { Timer, World } from '#base';
import type { Snapshot, Store } from '#storage';
import { commitRecords, eachReadable } from './entries.ts';
import { type Changes, deletionsMax, type Shelf } from './shelf.ts';

/** From a finding on, so that many of them become one commit; and between two looks of a reader. */
const cadenceMs = 60_000;

interface ArchiveParts {
  readonly store: Pick<Store, 'begin' | 'snapshot' | 'pressure'>;
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  /** The kinds of records. */
  readonly shelves: readonly Shelf[];
  /** Only looks at what the writer has written. */
  readonly isReader: boolean;
}

export class Archive {
  /** Resolves when what was there at the start is known. */
  loaded: Promise<void> = Promise.resolve();
  private readonly parts: ArchiveParts;
  private readonly invalid: Uint8Array[] = [];
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(parts: ArchiveParts) {
    this.parts = parts;
  }

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

  /** Writes what is pending; nothing happens from then on. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.working;
    if (!this.parts.isReader) await this.flush(true).catch(() => {});
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

  /** One commit at most. Rejects when the storage fails. */
  private async flush(isLast = false): Promise<void> {
    const { store, shelves } = this.parts;
    // Programs go first; what is pending stays.
    if (store.pressure !== 'none') return;
    const changes: Changes[] = [];
    for (const shelf of shelves) changes.push(await shelf.changes(isLast));
    const puts = changes.flatMap((one) => one.puts);
    const invalid = [...this.invalid];
    // What is written takes the place of what was there.
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
