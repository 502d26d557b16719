/** The way of a large transaction into the store: its steps give up the thread between two runs. */

import { expect, test } from 'bun:test';
import { CommitYield } from '../../../src/storage/batch/commit-yield.ts';
import { TransactionRunSpace } from '../../../src/storage/maintenance/run-space.ts';
import type { SpilledRun } from '../../../src/storage/transaction/own-writes.ts';
import { WrittenRanges } from '../../../src/storage/transaction/written-ranges.ts';

const rangesOfRun = 5_000;
const runs = 12;

test('a commit of many runs gives up the thread after each run whose ranges are joined', async () => {
  let turns = 0;
  const scheduler = {
    yield: async () => void turns++,
    afterTurn: () => {},
    after: () => ({ cancel: () => {} }),
  };
  const written = Array.from({ length: runs }, (_, run) => runOf(run * rangesOfRun));
  const prepared = await spaceWith(scheduler).prepare(written, []);
  expect(turns).toBe(runs);
  for (const run of [0, 5, 11]) {
    expect(prepared.ranges.mayContain(keyOf(run * rangesOfRun + 4_321))).toBe(true);
  }
});

function spaceWith(scheduler: ConstructorParameters<typeof CommitYield>[0]): TransactionRunSpace {
  const counters = { outputEntries: 0, outputBytes: 0 };
  const parts = {
    place: { reserveBytes: 0 },
    merger: { commit: async () => ({ outputs: [], counters }) },
    files: { openFiles: async () => [] },
    newStretch: () => new CommitYield(scheduler),
  };
  return new TransactionRunSpace(
    parts as unknown as ConstructorParameters<typeof TransactionRunSpace>[0],
  );
}

/** A run of keys far apart, from the number `first` on. */
function runOf(first: number): SpilledRun {
  const keys = Array.from({ length: rangesOfRun }, (_, i) => keyOf(first + i));
  const ranges = new WrittenRanges(keys.map((key) => ({ first: key, last: key })));
  const run = { ranges, areas: new Set<number>(), dropped: [], tables: [], open: {} };
  return run as unknown as SpilledRun;
}

function keyOf(number: number): Uint8Array {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setUint32(1, number * 2);
  return key;
}
