/** What a finished merge makes of the tree. Pure; the caller publishes it. */

import { compareBytes } from '#base';
import type { Run, TableEntry } from '../manifest/manifest.ts';
import { type CompactionJob, type CompactionResult, levels } from './job.ts';
import type { RangeSet } from './range-set.ts';

/**
 * `runs` is the tree of now, which may have newer runs than the job was picked from. A job that stopped early leaves its inputs
 * with the keys from `resumeAt` on: their entries say so by a raised `smallest`.
 */
export function applyJob(
  runs: readonly Run[],
  job: CompactionJob,
  result: Pick<CompactionResult, 'outputs' | 'resumeAt'>,
): readonly Run[] {
  const inputs = new Set(job.inputs.flat().map((table) => table.name));
  const at = runs.findIndex((run) => run.tables.some((table) => inputs.has(table.name)));
  const rest = runs.map((run) => ({
    level: run.level,
    tables: run.tables.flatMap((table) =>
      inputs.has(table.name) ? trim(table, result.resumeAt) : [table],
    ),
  }));
  return place(rest, at, job, result.outputs).filter((run) => run.tables.length > 0);
}

/** `at` is the newest run that an input was found in; -1 when all of them have been dropped meanwhile, and then nothing came out. */
function place(
  runs: readonly Run[],
  at: number,
  { kind, level }: CompactionJob,
  outputs: readonly TableEntry[],
): readonly Run[] {
  if (outputs.length === 0) return runs;
  if (level === levels.bottom) return withBottom(runs, outputs);
  if (kind !== 'rewrite') return runs.toSpliced(at, 0, { level, tables: outputs });
  return runs.map((run, i) => (i === at ? withTables(run, outputs) : run));
}

/** Takes away, without reading them, the tables that hold nothing but keys of `dropped`, except those that are `busy`. */
export function dropRanges(
  runs: readonly Run[],
  dropped: RangeSet,
  busy: { has(name: string): boolean } = new Set(),
): readonly Run[] {
  const isDropped = ({ name, smallest, largest }: TableEntry): boolean =>
    dropped.covers(smallest, largest) && !busy.has(name);
  return runs
    .map((run) => ({ level: run.level, tables: run.tables.filter((table) => !isDropped(table)) }))
    .filter((run) => run.tables.length > 0);
}

function trim(table: TableEntry, resumeAt: Uint8Array | undefined): TableEntry[] {
  if (resumeAt === undefined || compareBytes(table.largest, resumeAt) < 0) return [];
  const isRaised = compareBytes(table.smallest, resumeAt) < 0;
  return [isRaised ? { ...table, smallest: resumeAt } : table];
}

function withBottom(runs: readonly Run[], outputs: readonly TableEntry[]): readonly Run[] {
  const { bottom: level } = levels;
  const bottom = runs.find((run) => run.level === level) ?? { level, tables: [] };
  return [...runs.filter((run) => run.level !== level), withTables(bottom, outputs)];
}

function withTables({ level, tables }: Run, more: readonly TableEntry[]): Run {
  return {
    level,
    tables: [...tables, ...more].sort((a, b) => compareBytes(a.smallest, b.smallest)),
  };
}
