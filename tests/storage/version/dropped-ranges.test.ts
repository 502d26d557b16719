/** Dropped key ranges are known while any SSTable may contain keys of them. */

import { describe, expect, test } from 'bun:test';
import type { PastTable, RunEntry } from '../../../src/storage/manifest/manifest.ts';
import { DroppedRanges } from '../../../src/storage/version/dropped-ranges.ts';

const key = (byte: number) => Uint8Array.of(byte);

function tableOf(name: string, smallest: number, largest: number): PastTable {
  return {
    name,
    bytes: 100,
    smallest: key(smallest),
    largest: key(largest),
    sequenceMin: 1,
    sequenceMax: 5,
    entries: 10,
    hash: 0n,
    seenBelow: 9,
  };
}

const run = (tables: RunEntry['tables'], past?: RunEntry['past']): RunEntry => {
  return { level: 1, tables, ...(past && { past }) };
};

/** Ranges with the commit of sequence 7 that dropped the keys from 10 to 20. */
function dropped(): DroppedRanges {
  const ranges = new DroppedRanges();
  ranges.add([{ from: key(10), to: key(20) }], 7);
  return ranges;
}

describe('a dropped range is needed', () => {
  test.each([
    ['by a table with keys of it', run([tableOf('a', 5, 15)]), 1],
    ['not by tables on both sides of it', run([tableOf('a', 1, 9), tableOf('b', 20, 30)]), 0],
    // A later merge would take a past version for the newest one of its key.
    ['by a past run alone', run([tableOf('a', 1, 9)], [tableOf('p', 12, 13)]), 1],
    ['by a past run without newer tables', run([], [tableOf('p', 19, 30)]), 1],
    ['not by a past run beside it', run([], [tableOf('p', 20, 30)]), 0],
  ])('%s', (_, one, count) => {
    expect(dropped().neededBy([one], 7).length).toBe(count);
  });

  test('not before the log boundary has passed its commit, and then until it is published without', () => {
    const ranges = dropped();
    const runs = [run([tableOf('a', 5, 15)])];
    expect(ranges.neededBy(runs, 6)).toEqual([]);
    ranges.published([], 6);
    expect(ranges.isEmpty).toBe(false);
    ranges.published(ranges.neededBy(runs, 7), 7);
    expect(ranges.isEmpty).toBe(false);
    ranges.published(ranges.neededBy([], 7), 7);
    expect(ranges.isEmpty).toBe(true);
  });

  test('not by a table that is known to have none of its keys', () => {
    const ranges = dropped();
    const [range] = ranges.upTo(7);
    if (range !== undefined) range.absentFrom = new Set(['a']);
    expect(ranges.neededBy([run([tableOf('a', 5, 25)])], 7)).toEqual([]);
  });
});
