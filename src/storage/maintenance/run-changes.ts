/** Changes of the runs that wait for a manifest: which of them go into one together, and what became of each. */

import type { Run, TableEntry } from '../manifest/manifest.ts';
import type { Memtable } from '../memtable/memtable.ts';

export interface RunChange {
  /** The runs afterwards, made of the runs as they are when its turn comes. */
  readonly runs: (now: readonly Run[]) => readonly Run[];
  /** The memtable that is in the runs afterwards. */
  readonly flushed?: Memtable;
  /** Tables that were made for it: they are deleted when there is no room for the manifest. */
  readonly made?: readonly TableEntry[];
}

export class RunChanges {
  private waiting: RunChange[] = [];
  /** Why a manifest with these changes was not published. */
  private readonly failures = new Map<RunChange, unknown>();

  add(change: RunChange): void {
    this.waiting.push(change);
  }

  /** False once an earlier manifest has taken the change along. */
  isWaiting(change: RunChange): boolean {
    return this.waiting.includes(change);
  }

  /** Takes out the changes that wait, as far as they go together: one memtable at a time. */
  take(): readonly RunChange[] {
    const { waiting } = this;
    const flushes = waiting.flatMap(({ flushed }, i) => (flushed === undefined ? [] : [i]));
    return waiting.splice(0, flushes[1] ?? waiting.length);
  }

  /** The manifest with `change` was not published. */
  failed(change: RunChange, error: unknown): void {
    this.failures.set(change, error);
  }

  /** Throws what kept `change` from being published, once. */
  settle(change: RunChange): void {
    if (!this.failures.has(change)) return;
    const failure = this.failures.get(change);
    this.failures.delete(change);
    throw failure;
  }
}
