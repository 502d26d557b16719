/** Merges the cursors of several sources into one: all versions for compaction, or the newest version of each key for readers. */

import type { Pending } from '#base';
import type { BlockSpan } from '../contract/stored-block.ts';
import type { InternalCursor } from './internal-cursor.ts';
import { MergeHeap } from './merge-heap.ts';
import { passedMax, passedOver } from './passed-over.ts';

const nothing = new Uint8Array(0);

/**
 * `newest` requires inputs with at most one entry per key, newest source first. This mode shows the first entry of each key and hides tombstones.
 * `every version` shows all entries, those of the newer source first within a key.
 */
type MergeMode = 'newest' | 'every version';

export class MergeCursor implements InternalCursor {
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  value: Uint8Array = nothing;
  valueFrom = 0;
  valueTo = 0;
  sequence = 0;
  isTombstone = false;
  private readonly heap: MergeHeap;
  private readonly isNewestOnly: boolean;
  private isStarted = false;
  /** True while the root is still on the entry that was shown last. */
  private isRootShown = false;
  /** Tombstones skipped since the last yield. */
  private passed = 0;

  constructor(cursors: readonly InternalCursor[], isForward: boolean, mode: MergeMode) {
    this.heap = new MergeHeap(cursors, isForward);
    this.isNewestOnly = mode === 'newest';
  }

  next(): boolean | Pending {
    if (!this.isStarted) {
      const wait = this.heap.start();
      if (wait !== undefined) return wait;
      this.isStarted = true;
    }
    // A cursor that was waiting is either the root, which then leaves its entry, or a duplicate below it.
    const late = this.heap.resume();
    if (late !== undefined) return late;
    for (;;) {
      const wait = this.isRootShown ? this.moveOn() : undefined;
      if (wait !== undefined) return wait;
      const root = this.heap.root;
      if (root === undefined) return false;
      this.isRootShown = true;
      if (!this.isNewestOnly || !root.isTombstone) {
        this.show(root);
        return true;
      }
      if (++this.passed < passedMax) continue;
      this.passed = 0;
      return passedOver;
    }
  }

  takeRun(max: number, below?: Uint8Array): BlockSpan | undefined {
    const { root } = this.heap;
    if (!this.isNewestOnly || !this.isRootShown || root === undefined) return undefined;
    const run = this.heap.takeRun(max, below);
    if (run !== undefined) this.show(root);
    return run;
  }

  takeCount(below?: Uint8Array): number {
    const { root } = this.heap;
    if (!this.isNewestOnly || !this.isRootShown || root === undefined) return 0;
    const entries = this.heap.takeCount(below);
    if (entries > 0) this.show(root);
    return entries;
  }

  close(): void {
    this.heap.close();
  }

  private moveOn(): Pending | undefined {
    if (this.isNewestOnly) {
      const wait = this.heap.dropOlder();
      if (wait !== undefined) return wait;
    }
    this.isRootShown = false;
    return this.heap.advanceRoot();
  }

  private show(from: InternalCursor): void {
    this.key = from.key;
    this.keyFrom = from.keyFrom;
    this.keyTo = from.keyTo;
    this.value = from.value;
    this.valueFrom = from.valueFrom;
    this.valueTo = from.valueTo;
    this.sequence = from.sequence;
    this.isTombstone = from.isTombstone;
  }
}
