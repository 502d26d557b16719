/** Chooses the next compaction. Pure: the same arguments always give the same job. */

import { compareBytes } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { levels } from '../manifest/levels.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { type RunPart, wholeRun } from '../manifest/run-part.ts';
import { newerThanDamage } from './around-damage.ts';
import type { CompactionJob } from './job.ts';
import type { CompactionOptions } from './options.ts';
import { partOver } from './past.ts';

const everyKey: KeyRange = { from: new Uint8Array(0), to: undefined };
/** Tiers whose sizes are within this factor of each other are worth compacting. */
const similarFactor = 4;
/** Maximum number of L0 SSTables in one compaction. */
const flushedMax = 16;

const none: ReadonlySet<string> = new Set();

/**
 * Returns the next job; `undefined` if none is due. `runs` are newest first, and `running` are the jobs that have not been applied yet.
 * `damaged` names unreadable SSTables. `begun` names SSTables of tiers that a stopped job was compacting into the next older tier.
 */
export function pickJob(
  runs: readonly RunEntry[],
  options: CompactionOptions,
  running: readonly CompactionJob[],
  damaged = none,
  begun = none,
): CompactionJob | undefined {
  const mergeable = newerThanDamage(runs, damaged);
  const isWhole = mergeable.length === runs.length && options.isBottomHeld !== true;
  const flushed = running.some((job) => job.kind === 'flushed')
    ? undefined
    : pickFlushed(mergeable, options, isWhole);
  if (flushed !== undefined) return flushed;
  const others = running.filter((job) => job.kind !== 'flushed');
  if (others.length >= options.jobsMax - 1) return undefined;
  const bottom = isWhole ? pickBottom(runs, options, others) : undefined;
  return bottom ?? pickTiers(mergeable, options, others, begun);
}

/** Compacts L0 SSTables into a tier, or into the bottom run if there is nothing below them. */
function pickFlushed(
  runs: readonly RunEntry[],
  options: CompactionOptions,
  isWhole: boolean,
): CompactionJob | undefined {
  const flushed = runs.filter((run) => run.level === levels.flushed);
  if (flushed.length < options.flushedMin) return undefined;
  const isBottom = isWhole && flushed.length === runs.length;
  return {
    kind: 'flushed',
    ...inputsOf(flushed.slice(-flushedMax).map(wholeRun)),
    range: everyKey,
    level: isBottom ? levels.bottom : levels.tier,
    isBottom,
    stopAfterBytes: undefined,
  };
}

/**
 * Compacts the oldest tiers with the part of the bottom run that they overlap. Picks the same tiers, slice by slice, until they are used
 * up.
 */
function pickBottom(
  runs: readonly RunEntry[],
  options: CompactionOptions,
  others: readonly CompactionJob[],
): CompactionJob | undefined {
  if (others.length > 0) return undefined;
  const tiers = runs.filter((run) => run.level === levels.tier);
  const bottom = bottomOf(runs);
  const isDue =
    tiers.length >= options.tiersMax ||
    (tiers.length >= options.tiersMin &&
      bytesOf(tiers.flatMap((run) => run.tables)) >= options.bottomShare * bytesOf(bottom.tables));
  if (!isDue) return undefined;
  return into(tiers.slice(-options.tiersMin), bottom, options);
}

/**
 * Returns a bounded part of a compaction of everything, due if the runs above the bottom have more than `share` of its bytes. The job must run
 * alone, since it takes every run. Its range starts at the smallest key of the upper runs, not of the bottom run. Keys already moved down are
 * therefore not compacted again, and each job makes progress.
 */
export function pickTidy(
  runs: readonly RunEntry[],
  options: CompactionOptions,
  share: number,
): CompactionJob | undefined {
  const above = runs.filter((run) => run.level !== levels.bottom);
  const bottom = bottomOf(runs);
  const bytesAbove = bytesOf(above.flatMap((run) => run.tables));
  if (above.length === 0 || bytesAbove <= share * bytesOf(bottom.tables)) return undefined;
  return into(above, bottom, options);
}

/** Returns a bounded part of compacting the adjacent `runs` into the next older run, with the SSTables of that run that they overlap. */
function into(
  runs: readonly RunEntry[],
  target: RunEntry,
  options: CompactionOptions,
): CompactionJob {
  const newer = runs.map(wholeRun);
  const tables = newer.flatMap(tablesIn);
  const parts = [...newer, partOver(target, lowest(tables), highest(tables))];
  const isBottom = target.level === levels.bottom;
  return {
    kind: isBottom ? 'bottom' : 'tiers',
    ...inputsOf(parts),
    into: target.tables,
    range: { from: lowest(parts.flatMap(tablesIn)), to: undefined },
    level: target.level,
    isBottom,
    stopAfterBytes: options.jobBytes,
  };
}

function inputsOf(parts: readonly RunPart[]): Pick<CompactionJob, 'inputs' | 'past'> {
  return { inputs: parts.map(({ tables }) => tables), past: parts.map(({ past }) => past) };
}

function tablesIn({ tables, past }: RunPart): readonly TableEntry[] {
  return [...tables, ...past];
}

function bottomOf(runs: readonly RunEntry[]): RunEntry {
  return runs.find((run) => run.level === levels.bottom) ?? { level: levels.bottom, tables: [] };
}

/**
 * Continues a stopped job if there is one. Otherwise compacts adjacent tiers of similar size into the oldest of them, or the newest tiers
 * if there are too many of any size.
 */
function pickTiers(
  runs: readonly RunEntry[],
  options: CompactionOptions,
  others: readonly CompactionJob[],
  begun: ReadonlySet<string>,
): CompactionJob | undefined {
  const tiers = idleTiers(runs, others);
  const window =
    begunTiers(tiers, begun) ??
    similarTiers(tiers, options.tiersMin) ??
    (tiers.length >= options.tiersMax ? tiers.slice(0, options.tiersMin) : undefined);
  if (window === undefined) return undefined;
  return into(window.slice(0, -1), window.at(-1) as RunEntry, options);
}

/** Returns the newest tiers down to the first one that takes part in a job, so that all of them are adjacent. */
function idleTiers(
  runs: readonly RunEntry[],
  others: readonly CompactionJob[],
): readonly RunEntry[] {
  const taken = others.flatMap((job) => [...job.inputs.flat(), ...(job.into ?? [])]);
  const busy = new Set(taken.map((table) => table.name));
  const tiers = runs.filter((run) => run.level === levels.tier);
  const end = tiers.findIndex((run) => run.tables.some((table) => busy.has(table.name)));
  return end < 0 ? tiers : tiers.slice(0, end);
}

/** Returns the tiers that contain SSTables of `begun`, and the next older tier; `undefined` if there are none. */
function begunTiers(
  tiers: readonly RunEntry[],
  begun: ReadonlySet<string>,
): readonly RunEntry[] | undefined {
  const isBegun = (run: RunEntry): boolean => run.tables.some((table) => begun.has(table.name));
  const first = tiers.findIndex(isBegun);
  const last = tiers.findLastIndex(isBegun);
  return first < 0 || last + 1 === tiers.length ? undefined : tiers.slice(first, last + 2);
}

function similarTiers(tiers: readonly RunEntry[], count: number): readonly RunEntry[] | undefined {
  for (let at = 0; at + count <= tiers.length; at++) {
    const window = tiers.slice(at, at + count);
    const sizes = window.map((run) => bytesOf(run.tables));
    if (Math.max(...sizes) <= similarFactor * Math.min(...sizes)) return window;
  }
  return undefined;
}

function bytesOf(tables: readonly TableEntry[]): number {
  return tables.reduce((sum, table) => sum + table.bytes, 0);
}

function highest(tables: readonly TableEntry[]): Uint8Array {
  return tables.reduce(
    (high, { largest }) => (compareBytes(largest, high) > 0 ? largest : high),
    everyKey.from,
  );
}

function lowest(tables: readonly TableEntry[]): Uint8Array {
  const [first, ...rest] = tables.map((table) => table.smallest);
  return rest.reduce(
    (low, key) => (compareBytes(key, low) < 0 ? key : low),
    first ?? everyKey.from,
  );
}
