/** Computes the tree after a finished compaction. Pure; the caller publishes the result. */

import { compareBytes } from '#base';
import type { RangeSet } from '../key/range-set.ts';
import { levels } from '../manifest/levels.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { isAny, mapRun, type RunPart, runWith, wholeRun } from '../manifest/run-part.ts';
import type { MergeResult } from '../merge/task.ts';
import { flushedFirst } from './flushed-first.ts';
import type { CompactionJob } from './job.ts';

/**
 * Returns the tree after the job. `runs` is the current tree, which can have newer runs than the tree from which the job was picked. If a
 * job stopped early, its inputs keep the keys from `resumeAt` on, which their entries record by a raised `smallest`. L0 SSTables that the
 * job skipped because they were damaged become tiers below its output, since they might be readable again.
 */
export function applyJob(
  runs: readonly RunEntry[],
  job: CompactionJob,
  result: Pick<MergeResult, 'outputs' | 'past' | 'resumeAt'>,
): readonly RunEntry[] {
  const inputs = new Set([...job.inputs, ...job.past].flat().map((table) => table.name));
  const rest = runs.map((run) =>
    mapRun(run, (table) => (inputs.has(table.name) ? trim(table, result.resumeAt) : [table])),
  );
  const made = { tables: result.outputs, past: result.past };
  return flushedFirst(place(runs, rest, { job, inputs, made }).filter(isAny));
}

/**
 * Inserts the outputs. `rest` is `runs` without the compacted tables. Tables may have been dropped in the meantime; if all inputs were,
 * there is no output.
 */
function place(
  runs: readonly RunEntry[],
  rest: readonly RunEntry[],
  { job, inputs, made }: { job: CompactionJob; inputs: Names; made: RunPart },
): readonly RunEntry[] {
  const { kind, level } = job;
  const output = runWith(level, made);
  if (!isAny(output)) return rest;
  if (level === levels.bottom) return withBottom(rest, made);
  const isInput = (run: RunEntry): boolean => run.tables.some((table) => inputs.has(table.name));
  const first = runs.findIndex(isInput);
  if (kind === 'flushed') return rest.toSpliced(first, 0, output);
  const target = kind === 'rewrite' ? first : targetOf(runs, job);
  if (target >= 0) return rest.map((run, i) => (i === target ? withTables(run, made) : run));
  return rest.toSpliced(runs.findLastIndex(isInput) + 1, 0, output);
}

type Names = ReadonlySet<string>;

/** Returns the index of the run that the job merges into; -1 if all of its tables have been dropped. */
function targetOf(runs: readonly RunEntry[], job: CompactionJob): number {
  const names = new Set((job.into ?? []).map((table) => table.name));
  return runs.findIndex((run) => run.tables.some((table) => names.has(table.name)));
}

/** Removes, without reading them, the SSTables whose keys are all in `dropped`, except the `busy` ones. */
export function dropRanges(
  runs: readonly RunEntry[],
  dropped: RangeSet,
  busy: { has(name: string): boolean } = new Set(),
): readonly RunEntry[] {
  const isDropped = ({ name, smallest, largest }: TableEntry): boolean =>
    dropped.covers(smallest, largest) && !busy.has(name);
  return runs.map((run) => mapRun(run, (table) => (isDropped(table) ? [] : [table]))).filter(isAny);
}

function trim<T extends TableEntry>(table: T, resumeAt: Uint8Array | undefined): T[] {
  if (resumeAt === undefined || compareBytes(table.largest, resumeAt) < 0) return [];
  const isRaised = compareBytes(table.smallest, resumeAt) < 0;
  return [isRaised ? { ...table, smallest: resumeAt } : table];
}

function withBottom(runs: readonly RunEntry[], made: RunPart): readonly RunEntry[] {
  const { bottom: level } = levels;
  const bottom = runs.find((run) => run.level === level) ?? { level, tables: [] };
  return [...runs.filter((run) => run.level !== level), withTables(bottom, made)];
}

function withTables(run: RunEntry, made: RunPart): RunEntry {
  const { tables, past } = wholeRun(run);
  return runWith(run.level, {
    tables: [...tables, ...made.tables].sort(byKey),
    past: [...past, ...made.past].sort(byKey),
  });
}

function byKey(left: TableEntry, right: TableEntry): number {
  return compareBytes(left.smallest, right.smallest);
}
