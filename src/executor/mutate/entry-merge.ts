/** Merges sorted runs on the disk into one order. Among entries with equal keys, those of an earlier run come first. */

import type { EntryRun, RunReader } from './entry-run.ts';

export class EntryMerge {
  /** A heap; the reader with the next entry is first. */
  private readonly heap: RunReader[] = [];

  /** `sharedBytes` is the number of bytes with which all keys begin. */
  constructor(runs: readonly EntryRun[], sharedBytes: number) {
    for (let number = 0; number < runs.length; number++) {
      const reader = (runs[number] as EntryRun).reader(number, sharedBytes);
      if (reader.next()) this.heap.push(reader);
    }
    for (let i = (this.heap.length >>> 1) - 1; i >= 0; i--) this.sink(i);
  }

  /** The reader at the next entry; undefined at the end. */
  get current(): RunReader | undefined {
    return this.heap[0];
  }

  /** Moves to the entry after `current`. */
  advance(): void {
    const { heap } = this;
    const first = heap[0] as RunReader;
    if (!first.next()) {
      const last = heap.pop() as RunReader;
      if (last === first) return;
      heap[0] = last;
    }
    this.sink(0);
  }

  private sink(from: number): void {
    const { heap } = this;
    const moving = heap[from] as RunReader;
    let hole = from;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right?.precedes(heap[child] as RunReader)) child++;
      const below = heap[child] as RunReader;
      if (!below.precedes(moving)) break;
      heap[hole] = below;
      hole = child;
    }
    heap[hole] = moving;
  }
}
