/**
 * Changes of the runs that wait for a manifest. This class selects the changes that share one
 * manifest, and records the outcome of each.
 */

import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import type { Frozen } from '../version/committed-run.ts';

export interface RunChange {
  /** Returns the new runs, computed from the runs at the time of publication. */
  readonly runs: (now: readonly RunEntry[]) => readonly RunEntry[];
  /** The frozen item whose entries the new runs contain. */
  readonly flushed?: Frozen;
  /**
   * SSTables that were written for the change, and that are deleted if the device is too full for
   * the manifest.
   */
  readonly made?: readonly TableEntry[];
}

export class RunChanges {
  private waiting: RunChange[] = [];
  /** Reasons why a manifest with these changes was not published. */
  private readonly failures = new Map<RunChange, unknown>();

  add(change: RunChange): void {
    this.waiting.push(change);
  }

  /** Returns false once an earlier manifest has included the change. */
  isWaiting(change: RunChange): boolean {
    return this.waiting.includes(change);
  }

  /**
   * Removes and returns the waiting changes that can share one manifest: at most one of them
   * flushes a frozen item.
   */
  take(): readonly RunChange[] {
    const { waiting } = this;
    const flushes = waiting.flatMap(({ flushed }, i) => (flushed === undefined ? [] : [i]));
    return waiting.splice(0, flushes[1] ?? waiting.length);
  }

  /** Records that the manifest with `change` was not published. */
  failed(change: RunChange, error: unknown): void {
    this.failures.set(change, error);
  }

  /** Throws the reason why `change` was not published, once. */
  settle(change: RunChange): void {
    if (!this.failures.has(change)) return;
    const failure = this.failures.get(change);
    this.failures.delete(change);
    throw failure;
  }
}
