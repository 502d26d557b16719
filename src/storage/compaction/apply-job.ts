/** What a finished merge makes of the tree. Pure; the caller publishes it. */

import { compareBytes } from '#base';
import type { Run, TableEntry } from '../manifest/manifest.ts';
import type { KeyRange } from '../store.ts';
import { type CompactionJob, type CompactionResult, levels } from './job.ts';
import { isBefore } from './key-gaps.ts';

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
  const tree =
    job.level === levels.bottom
      ? withBottom(rest, result.outputs)
      : rest.toSpliced(at, 0, { level: job.level, tables: [...result.outputs] });
  return tree.filter((run) => run.tables.length > 0);
}

/** Takes away, without reading them, the tables that hold nothing but keys of `dropped`. */
export function dropRanges(runs: readonly Run[], dropped: readonly KeyRange[]): readonly Run[] {
  const isDropped = (table: TableEntry): boolean =>
    dropped.some(
      (range) => compareBytes(table.smallest, range.from) >= 0 && isBefore(table.largest, range.to),
    );
  return runs
    .map((run) => ({ level: run.level, tables: run.tables.filter((table) => !isDropped(table)) }))
    .filter((run) => run.tables.length > 0);
}

function trim(table: TableEntry, resumeAt: Uint8Array | undefined): TableEntry[] {
  if (resumeAt === undefined || compareBytes(table.largest, resumeAt) < 0) return [];
  const isRaised = compareBytes(table.smallest, resumeAt) < 0;
  return [isRaised ? { ...table, smallest: resumeAt } : table];
}

function withBottom(
  runs: readonly { readonly level: number; readonly tables: readonly TableEntry[] }[],
  outputs: readonly TableEntry[],
): readonly Run[] {
  const old = runs.find((run) => run.level === levels.bottom)?.tables ?? [];
  const tables = [...old, ...outputs].sort((a, b) => compareBytes(a.smallest, b.smallest));
  return [...runs.filter((run) => run.level !== levels.bottom), { level: levels.bottom, tables }];
}
