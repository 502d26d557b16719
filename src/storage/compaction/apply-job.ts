/** What a finished merge makes of the tree. Pure; the caller publishes it. */

import { compareBytes } from '#base';
import type { RangeSet } from '../key/range-set.ts';
import { levels } from '../manifest/levels.ts';
import type { Run, TableEntry } from '../manifest/manifest.ts';
import type { MergeResult } from '../merge/task.ts';
import { flushedFirst } from './flushed-first.ts';
import type { CompactionJob } from './job.ts';

/**
 * `runs` is the tree of now, which may have newer runs than the job was picked from. A job that stopped early leaves its inputs
 * with the keys from `resumeAt` on: their entries say so by a raised `smallest`. Flushed tables that the job passed over, since they were
 * damaged and may not be any more, are tiers below its output.
 */
export function applyJob(
  runs: readonly Run[],
  job: CompactionJob,
  result: Pick<MergeResult, 'outputs' | 'resumeAt'>,
): readonly Run[] {
  const inputs = new Set(job.inputs.flat().map((table) => table.name));
  const rest = runs.map((run) => ({
    level: run.level,
    tables: run.tables.flatMap((table) =>
      inputs.has(table.name) ? trim(table, result.resumeAt) : [table],
    ),
  }));
  const { outputs } = result;
  const placed = place(runs, rest, { job, inputs, outputs });
  return flushedFirst(placed.filter((run) => run.tables.length > 0));
}

/** `rest` are the `runs` without what has been merged. Tables may have been dropped meanwhile; if all inputs were, nothing came out. */
function place(
  runs: readonly Run[],
  rest: readonly Run[],
  { job, inputs, outputs }: { job: CompactionJob; inputs: Names; outputs: readonly TableEntry[] },
): readonly Run[] {
  const { kind, level } = job;
  if (outputs.length === 0) return rest;
  if (level === levels.bottom) return withBottom(rest, outputs);
  const isInput = (run: Run): boolean => run.tables.some((table) => inputs.has(table.name));
  const first = runs.findIndex(isInput);
  if (kind === 'flushed') return rest.toSpliced(first, 0, { level, tables: outputs });
  const target = kind === 'rewrite' ? first : targetOf(runs, job);
  if (target >= 0) return rest.map((run, i) => (i === target ? withTables(run, outputs) : run));
  return rest.toSpliced(runs.findLastIndex(isInput) + 1, 0, { level, tables: outputs });
}

type Names = ReadonlySet<string>;

/** The run that is merged into; -1 when all of it has been dropped. */
function targetOf(runs: readonly Run[], job: CompactionJob): number {
  const names = new Set((job.into ?? []).map((table) => table.name));
  return runs.findIndex((run) => run.tables.some((table) => names.has(table.name)));
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
