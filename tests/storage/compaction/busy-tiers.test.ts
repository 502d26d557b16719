/** What a merge under way reads or adds to is in no other merge. */

import { expect, test } from 'bun:test';
import type { CompactionJob } from '../../../src/storage/compaction/job.ts';
import {
  type CompactionOptions,
  compactionDefaults,
} from '../../../src/storage/compaction/options.ts';
import { pickJob } from '../../../src/storage/compaction/pick-job.ts';
import { levels } from '../../../src/storage/manifest/levels.ts';
import type { RunEntry, TableEntry } from '../../../src/storage/manifest/manifest.ts';

/** Three merges of tiers fit beside one of flushed tables. */
const options: CompactionOptions = { ...compactionDefaults, tiersMin: 2, tiersMax: 9, jobsMax: 4 };

let names = 0;
function table(from: number, to: number, bytes = 100): TableEntry {
  return {
    name: `sst/${names++}`,
    bytes,
    smallest: Uint8Array.of(from),
    largest: Uint8Array.of(to),
    sequenceMin: 1,
    sequenceMax: 1,
    entries: 1,
    hash: 0n,
  };
}

const run = (level: number, ...tables: TableEntry[]): RunEntry => ({ level, tables });
const bottom = run(levels.bottom, table(0, 9, 1e9));
const namesOf = (job: CompactionJob | undefined) => job?.inputs.flat().map(({ name }) => name);

test('tiers that are being merged are merged once, and older ones wait', () => {
  const tiers = Array.from({ length: 2 }, () => table(0, 9));
  const runs = [...tiers.map((each) => run(levels.tier, each)), bottom];
  const job = pickJob(runs, options, []) as CompactionJob;
  expect(namesOf(job)).toEqual(tiers.map(({ name }) => name));
  expect(pickJob(runs, options, [job])).toBeUndefined();
  const newer = [table(0, 9), table(0, 9)];
  const more = [...newer.map((each) => run(levels.tier, each)), ...runs];
  const next = pickJob(more, options, [job]) as CompactionJob;
  expect(namesOf(next)).toEqual(newer.map(({ name }) => name));
  expect(pickJob(more, options, [job, next])).toBeUndefined();
  const older = [table(0, 9), table(0, 9)].map((each) => run(levels.tier, each));
  expect(pickJob([...runs.slice(0, -1), ...older, bottom], options, [job])).toBeUndefined();
});

test('a tier that is being added to is busy, also where it has no table in the merge', () => {
  const [newer, target] = [table(0, 4), table(5, 9)];
  const runs = [run(levels.tier, newer), run(levels.tier, target), bottom];
  const job = pickJob(runs, options, []) as CompactionJob;
  // The keys of the two do not meet: nothing of the target is read.
  expect(namesOf(job)).toEqual([newer.name]);
  const others = [run(levels.tier, target), run(levels.tier, table(5, 9)), bottom];
  expect(pickJob(others, options, [job])).toBeUndefined();
});
