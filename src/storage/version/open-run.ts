/** Sorted runs of the manifest with their SSTables open for reading. */

import type { CursorSource } from '../cursor/source.ts';
import type { RunEntry } from '../manifest/manifest.ts';
import { SortedRun as RunSource } from '../table/sorted-run.ts';
import type { SsTable } from '../table/ss-table.ts';

/** An open SSTable, which is closed when the last version that refers to it is released. */
export interface HeldTable {
  readonly table: SsTable;
  /** Number of versions that refer to it. */
  holders: number;
}

export interface OpenRun {
  readonly level: number;
  readonly tables: readonly HeldTable[];
  /** All its SSTables as one source. */
  readonly source: CursorSource;
}

export function openRunOf(level: number, tables: readonly HeldTable[]): OpenRun {
  return { level, tables, source: new RunSource(tables.map(({ table }) => table)) };
}

/** Returns the run as a manifest contains it. */
export function runOf({ level, tables }: OpenRun): RunEntry {
  return { level, tables: tables.map(({ table }) => table.entry) };
}
