/** A sorted run that a merge writes, SSTable by SSTable. */

import type { StoredEntry } from '../cursor/internal-cursor.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { TableBuilder } from '../table/table-builder.ts';
import type { MergeTask, TableOutput } from './task.ts';

interface OpenTable {
  readonly output: TableOutput;
  readonly builder: TableBuilder;
}

export class OutputRun<T extends TableEntry = TableEntry> {
  readonly tables: T[] = [];
  /** Bytes of the closed SSTables. */
  closedBytes = 0;
  private readonly task: Pick<MergeTask, 'openOutput' | 'table'>;
  private readonly complete: (entry: TableEntry) => T;
  private open: OpenTable | undefined;

  /** `complete` returns the entry of a closed SSTable as the run lists it. */
  constructor(task: Pick<MergeTask, 'openOutput' | 'table'>, complete: (entry: TableEntry) => T) {
    this.task = task;
    this.complete = complete;
  }

  get isOpen(): boolean {
    return this.open !== undefined;
  }

  /** Estimated bytes of the open SSTable. */
  get openBytes(): number {
    return this.open?.builder.bytes ?? 0;
  }

  /** Adds an entry, like `TableBuilder.add`. */
  add(entry: StoredEntry): Promise<void> | undefined {
    this.open ??= this.openTable();
    return this.open.builder.add(entry);
  }

  /** Closes the open SSTable. The promise resolves when the SSTable is durable. */
  close(): Promise<void> | undefined {
    const { open } = this;
    if (open === undefined) return undefined;
    this.open = undefined;
    const entry = open.builder.finish();
    this.tables.push(this.complete(entry));
    this.closedBytes += entry.bytes;
    return open.output.finish(entry);
  }

  private openTable(): OpenTable {
    const output = this.task.openOutput();
    return { output, builder: new TableBuilder(output.name, output.sink, this.task.table) };
  }
}
