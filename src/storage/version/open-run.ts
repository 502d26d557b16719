/** Runs of the manifest with their tables open for reading. */

import type { Source } from '../cursor/source.ts';
import type { Run } from '../manifest/manifest.ts';
import { Run as RunSource } from '../table/run.ts';
import type { Table } from '../table/table.ts';

/** An open table, closed when the last version that has it is gone. */
export interface HeldTable {
  readonly table: Table;
  /** Versions that have it. */
  holders: number;
}

export interface OpenRun {
  readonly level: number;
  readonly tables: readonly HeldTable[];
  /** All its tables as one source. */
  readonly source: Source;
}

export function openRunOf(level: number, tables: readonly HeldTable[]): OpenRun {
  return { level, tables, source: new RunSource(tables.map(({ table }) => table)) };
}

/** As a manifest has it. */
export function runOf({ level, tables }: OpenRun): Run {
  return { level, tables: tables.map(({ table }) => table.entry) };
}
