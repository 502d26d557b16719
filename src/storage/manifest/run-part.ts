/** Runs with their past runs, as lists of SSTables. */

import type { PastTable, RunEntry, TableEntry } from './manifest.ts';

/** SSTables of one run and of its past run. */
export interface RunPart {
  readonly tables: readonly TableEntry[];
  readonly past: readonly PastTable[];
}

/** Returns all SSTables of `run`. */
export function wholeRun({ tables, past = [] }: RunEntry): RunPart {
  return { tables, past };
}

/** Returns the run with these SSTables. */
export function runWith(level: number, { tables, past }: RunPart): RunEntry {
  return past.length === 0 ? { level, tables } : { level, tables, past };
}

/** Returns the run with the SSTables of both runs that `change` returns for each one. */
export function mapRun(
  { level, tables, past = [] }: RunEntry,
  change: <T extends TableEntry>(table: T) => readonly T[],
): RunEntry {
  return runWith(level, { tables: tables.flatMap(change), past: past.flatMap(change) });
}

/** Returns whether the run has any SSTable. The bottom run can consist of past versions of deleted keys alone. */
export function isAny({ tables, past = [] }: RunEntry): boolean {
  return tables.length > 0 || past.length > 0;
}

/** Returns the runs as a manifest contains them. */
export function withoutPast(runs: readonly RunEntry[]): readonly RunEntry[] {
  const named = runs.filter(({ tables, past }) => tables.length > 0 || past === undefined);
  return named.map(({ level, tables }) => ({ level, tables }));
}
