/** Chooses the next merge. Pure: the same tree always gives the same job. */

import { compareBytes } from '#base';
import type { KeyRange } from '../contract/store.ts';
import { levels } from '../manifest/levels.ts';
import type { Run, TableEntry } from '../manifest/manifest.ts';
import { newerThanDamage } from './around-damage.ts';
import type { CompactionJob } from './job.ts';
import type { CompactionOptions } from './options.ts';

const everyKey: KeyRange = { from: new Uint8Array(0), to: undefined };
/** Tiers whose sizes are within this factor of each other are worth merging. */
const similarFactor = 4;
/** So many flushed tables at most go into one tier. */
const flushedMax = 16;

const none: ReadonlySet<string> = new Set();

/**
 * `runs` newest first; `running` are the jobs that have not been applied yet; `damaged` names tables that cannot be read, `begun` those whose
 * tier a stopped job was merging into the next one. Undefined when nothing is due.
 */
export function pickJob(
  runs: readonly Run[],
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

/** Flushed tables become a tier; the very first ones the bottom, if there is nothing below them. */
function pickFlushed(
  runs: readonly Run[],
  options: CompactionOptions,
  isWhole: boolean,
): CompactionJob | undefined {
  const flushed = runs.filter((run) => run.level === levels.flushed);
  if (flushed.length < options.flushedMin) return undefined;
  const isBottom = isWhole && flushed.length === runs.length;
  return {
    kind: 'flushed',
    inputs: flushed.slice(-flushedMax).map((run) => run.tables),
    range: everyKey,
    level: isBottom ? levels.bottom : levels.tier,
    isBottom,
    stopAfterBytes: undefined,
  };
}

/** The oldest tiers and the part of the bottom that they overlap. Always the same tiers until they are used up, slice by slice. */
function pickBottom(
  runs: readonly Run[],
  options: CompactionOptions,
  others: readonly CompactionJob[],
): CompactionJob | undefined {
  if (others.length > 0) return undefined;
  const tiers = runs.filter((run) => run.level === levels.tier);
  const bottom = runs.find((run) => run.level === levels.bottom)?.tables ?? [];
  const isDue =
    tiers.length >= options.tiersMax ||
    (tiers.length >= options.tiersMin &&
      bytesOf(tiers.flatMap((run) => run.tables)) >= options.bottomShare * bytesOf(bottom));
  if (!isDue) return undefined;
  return into(tiers.slice(-options.tiersMin), bottom, levels.bottom, options);
}

/**
 * A bounded part of a merge of everything, due when what lies above the bottom has more than `share` of its bytes. To be carried out
 * while nothing else runs, for it takes every run. The merge begins where the runs above begin, not where the bottom does: what has moved down
 * already is not merged again, so each job comes closer to the end.
 */
export function pickTidy(
  runs: readonly Run[],
  options: CompactionOptions,
  share: number,
): CompactionJob | undefined {
  const above = runs.filter((run) => run.level !== levels.bottom);
  const bottom = runs.find((run) => run.level === levels.bottom)?.tables ?? [];
  const bytesAbove = bytesOf(above.flatMap((run) => run.tables));
  if (above.length === 0 || bytesAbove <= share * bytesOf(bottom)) return undefined;
  return into(above, bottom, levels.bottom, options);
}

/** A bounded part of merging `runs`, neighbours, into the next older one: with those of its tables that they overlap. */
function into(
  runs: readonly Run[],
  target: readonly TableEntry[],
  level: number,
  options: CompactionOptions,
): CompactionJob {
  const newer = runs.map((run) => run.tables);
  const from = lowest(newer.flat());
  const to = highest(newer.flat());
  const overlapped = target.filter(
    (table) => compareBytes(table.largest, from) >= 0 && compareBytes(table.smallest, to) <= 0,
  );
  const isBottom = level === levels.bottom;
  return {
    kind: isBottom ? 'bottom' : 'tiers',
    inputs: [...newer, overlapped],
    into: target,
    range: { from: lowest([...newer.flat(), ...overlapped]), to: undefined },
    level,
    isBottom,
    stopAfterBytes: options.jobBytes,
  };
}

/**
 * What a stopped job began goes on; else neighbouring tiers of similar size are merged into the oldest of them, or the newest ones when there
 * are too many of any size.
 */
function pickTiers(
  runs: readonly Run[],
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
  const target = window.at(-1)?.tables ?? [];
  return into(window.slice(0, -1), target, levels.tier, options);
}

/** The newest tiers without one that takes part in a job, so that all of them are neighbours. */
function idleTiers(runs: readonly Run[], others: readonly CompactionJob[]): readonly Run[] {
  const taken = others.flatMap((job) => [...job.inputs.flat(), ...(job.into ?? [])]);
  const busy = new Set(taken.map((table) => table.name));
  const tiers = runs.filter((run) => run.level === levels.tier);
  const end = tiers.findIndex((run) => run.tables.some((table) => busy.has(table.name)));
  return end < 0 ? tiers : tiers.slice(0, end);
}

/** Those that hold tables of `begun`, and the next older one; undefined when there are none. */
function begunTiers(tiers: readonly Run[], begun: ReadonlySet<string>): readonly Run[] | undefined {
  const isBegun = (run: Run): boolean => run.tables.some((table) => begun.has(table.name));
  const first = tiers.findIndex(isBegun);
  const last = tiers.findLastIndex(isBegun);
  return first < 0 || last + 1 === tiers.length ? undefined : tiers.slice(first, last + 2);
}

function similarTiers(tiers: readonly Run[], count: number): readonly Run[] | undefined {
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
