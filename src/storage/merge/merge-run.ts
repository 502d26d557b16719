/** One running merge, which advances in slices. */

import { isPending, type Pending } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import type { InternalCursor } from '../cursor/internal-cursor.ts';
import { mergeVersions } from '../cursor/read-sources.ts';
import type { VersionSource } from '../cursor/source.ts';
import { RangeSet } from '../key/range-set.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { TableBuilder } from '../table/table-builder.ts';
import type { MergeCounters, MergeResult, MergeTask, TableOutput } from './task.ts';
import { VersionFilter } from './version-filter.ts';

/** Number of entries between two readings of the clock. */
const entriesPerLook = 256;

interface OpenTable {
  readonly output: TableOutput;
  readonly builder: TableBuilder;
}

export class MergeRun {
  private readonly inputs: readonly VersionSource[];
  private readonly task: MergeTask;
  private readonly filter: VersionFilter;
  private readonly gaps: readonly KeyRange[];
  private readonly outputs: TableEntry[] = [];
  private readonly counters: MergeCounters = {
    inputEntries: 0,
    outputEntries: 0,
    outputBytes: 0,
  };
  private cursor: InternalCursor = emptyCursor;
  private gap = 0;
  private open: OpenTable | undefined;
  private resumeAt: Uint8Array | undefined;
  private isDone = false;

  constructor(inputs: readonly VersionSource[], task: MergeTask) {
    this.inputs = inputs;
    this.task = task;
    this.filter = new VersionFilter(task.snapshots, task.isBottom);
    this.gaps = new RangeSet(task.dropped).gaps(task.range);
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
    await this.closeTable();
    return { outputs: this.outputs, resumeAt: this.resumeAt, counters: this.counters };
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
    const { filter } = this;
    filter.begin(entry);
    if (filter.isNewKey && this.open !== undefined) {
      const { bytes } = this.open.builder;
      const stopAfter = this.task.stopAfterBytes ?? Infinity;
      if (this.counters.outputBytes + bytes >= stopAfter) {
        this.resumeAt = entry.key.slice(entry.keyFrom, entry.keyTo);
        this.isDone = true;
        return undefined;
      }
      if (bytes >= this.task.tableBytes) {
        const wait = this.closeTable();
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
    this.counters.inputEntries++;
    if (!this.filter.keeps(entry)) return undefined;
    this.counters.outputEntries++;
    // The field of the cursor may be changed, because the next call of `next` sets it again.
    if (this.filter.isSettled(entry.sequence)) entry.sequence = 0;
    this.open ??= this.openTable();
    return this.open.builder.add(entry);
  }

  private openTable(): OpenTable {
    const output = this.task.openOutput();
    return { output, builder: new TableBuilder(output.name, output.sink, this.task.table) };
  }

  private closeTable(): Promise<void> | undefined {
    const { open } = this;
    if (open === undefined) return undefined;
    this.open = undefined;
    const entry = open.builder.finish();
    this.outputs.push(entry);
    this.counters.outputBytes += entry.bytes;
    return open.output.finish(entry);
  }
}
