/** Sorted runs of the manifest with their SSTables open for reading. */

import type { CursorSource } from '../cursor/source.ts';
import type { PastTable, RunEntry } from '../manifest/manifest.ts';
import { runWith } from '../manifest/run-part.ts';
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
  readonly past: PastRun | undefined;
}

/** An open past run. */
interface PastRun {
  readonly tables: readonly HeldTable[];
  readonly entries: readonly PastTable[];
  readonly source: CursorSource;
  /** From this sequence on, no view sees any of its versions. */
  readonly seenBelow: number;
}

export function openRunOf(level: number, tables: readonly HeldTable[], past?: PastRun): OpenRun {
  return { level, tables, source: sourceOf(tables), past };
}

/** Returns the past run of `entries`, which `tables` contains open; `undefined` if there are none. */
export function pastRunOf(
  entries: readonly PastTable[],
  tables: readonly HeldTable[],
): PastRun | undefined {
  if (entries.length === 0) return undefined;
  const seenBelow = entries.reduce((max, each) => Math.max(max, each.seenBelow), 0);
  return { tables, entries, source: sourceOf(tables), seenBelow };
}

/** Returns the run as the tree contains it. */
export function runOf({ level, tables, past }: OpenRun): RunEntry {
  const part = { tables: tables.map(({ table }) => table.entry), past: past?.entries ?? [] };
  return runWith(level, part);
}

/** Returns all SSTables of the run, with those of its past run. */
export function tablesOf({ tables, past }: OpenRun): readonly HeldTable[] {
  return past === undefined ? tables : [...tables, ...past.tables];
}

function sourceOf(tables: readonly HeldTable[]): CursorSource {
  return new RunSource(tables.map(({ table }) => table));
}
