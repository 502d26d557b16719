/** One running merge, which advances in slices. */

import { isPending, type Pending } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import { mergeVersions } from '../cursor/read-sources.ts';
import type { VersionSource } from '../cursor/source.ts';
import { RangeSet } from '../key/range-set.ts';
import type { PastTable } from '../manifest/manifest.ts';
import { OutputRun } from './output-run.ts';
import type { MergeResult, MergeTask } from './task.ts';
import { VersionFilter } from './version-filter.ts';

/** Number of entries between two readings of the clock. */
const entriesPerLook = 256;

export class MergeRun {
  private readonly inputs: readonly VersionSource[];
  private readonly task: MergeTask;
  private readonly filter: VersionFilter;
  private readonly gaps: readonly KeyRange[];
  private readonly run: OutputRun;
  private readonly past: OutputRun<PastTable>;
  /** Views from this sequence on see no version in the open SSTable of the past run. */
  private seenBelow = 0;
  private inputEntries = 0;
  private outputEntries = 0;
  private cursor: InternalCursor = emptyCursor;
  private gap = 0;
  private resumeAt: Uint8Array | undefined;
  private isDone = false;

  constructor(inputs: readonly VersionSource[], task: MergeTask) {
    this.inputs = inputs;
    this.task = task;
    this.filter = new VersionFilter(task.snapshots, task.isBottom);
    this.gaps = new RangeSet(task.dropped).gaps(task.range);
    this.run = new OutputRun(task, (entry) => entry);
    this.past = new OutputRun(task, (entry) => ({ ...entry, seenBelow: this.seenBelow }));
  }

  /**
   * Merges entries until the slice ends or a wait is necessary. If it returns `undefined`, the
   * caller calls it again.
   */
  step(): 'done' | Pending | undefined {
    const sliceEnd = this.task.clock.monotonicMs() + this.task.sliceMs;
    for (let entries = 1; ; entries++) {
      const wait = this.takeEntry();
      if (wait !== undefined) return wait;
      if (this.isDone) return 'done';
      if (entries % entriesPerLook === 0 && this.task.clock.monotonicMs() >= sliceEnd) {
        return undefined;
      }
    }
  }

  async result(): Promise<MergeResult> {
    await this.closeTables();
    const { run, past, resumeAt, inputEntries, outputEntries } = this;
    const outputBytes = run.closedBytes + past.closedBytes;
    const counters = { inputEntries, outputEntries, outputBytes };
    return { outputs: run.tables, past: past.tables, resumeAt, counters };
  }

  close(): void {
    this.cursor.close();
    this.cursor = emptyCursor;
  }

  private takeEntry(): Pending | undefined {
    const moved = this.cursor.next();
    if (isPending(moved)) return moved;
    if (!moved) {
      this.openGap();
      return undefined;
    }
    return this.judge(this.cursor);
  }

  /** Continues with the next range that is not dropped. */
  private openGap(): void {
    this.cursor.close();
    const range = this.gaps[this.gap++];
    if (range === undefined) {
      this.cursor = emptyCursor;
      this.isDone = true;
    } else {
      this.cursor = mergeVersions(this.inputs, range);
    }
  }

  private judge(entry: InternalCursor): Pending | undefined {
    const { filter, run, past, task } = this;
    filter.begin(entry);
    if (filter.isNewKey && (run.isOpen || past.isOpen)) {
      const closedBytes = run.closedBytes + past.closedBytes;
      const bytes = closedBytes + run.openBytes + past.openBytes;
      if (bytes >= (task.stopAfterBytes ?? Infinity)) {
        this.resumeAt = entry.key.slice(entry.keyFrom, entry.keyTo);
        this.isDone = true;
        return undefined;
      }
      if (Math.max(run.openBytes, past.openBytes) >= task.tableBytes) {
        const wait = this.closeTables();
        // The entry is added to the next SSTable, independently of closing the previous one.
        try {
          this.keep(entry);
        } catch (error) {
          // No caller waits for the closed SSTable then.
          wait?.catch(() => {});
          throw error;
        }
        return wait;
      }
    }
    return this.keep(entry);
  }

  private keep(entry: InternalCursor): Pending | undefined {
    const { filter } = this;
    this.inputEntries++;
    const place = filter.place(entry);
    if (place === 'nowhere') return undefined;
    this.outputEntries++;
    // The field of the cursor may be changed, because the next call of `next` sets it again.
    if (filter.isSettled(entry.sequence)) entry.sequence = 0;
    return place === 'run' ? this.run.add(entry) : this.keepInPast(entry);
  }

  private keepInPast(entry: InternalCursor): Pending | undefined {
    const { filter, past } = this;
    this.seenBelow = Math.max(this.seenBelow, filter.supersededAt);
    const tombstone = filter.takeTombstone();
    const wait = tombstone && past.add(tombstone);
    return both(wait, past.add(entry));
  }

  /**
   * Closes the SSTables of both runs at the same key, so that a later merge of some SSTables of the
   * run concerns few of the past run.
   */
  private closeTables(): Promise<void> | undefined {
    const wait = both(this.run.close(), this.past.close());
    this.seenBelow = 0;
    return wait;
  }
}

function both(
  one: Promise<void> | undefined,
  other: Promise<void> | undefined,
): Promise<void> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Promise.all([one, other]).then(() => undefined);
}
