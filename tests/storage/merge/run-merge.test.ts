import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { afterKey } from '#base';
import type { KeyRange } from '#storage';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import { RangeSet } from '../../../src/storage/key/range-set.ts';
import type { TableEntry } from '../../../src/storage/manifest/manifest.ts';
import { runMerge } from '../../../src/storage/merge/run-merge.ts';
import type { MergeTask } from '../../../src/storage/merge/task.ts';
import { SortedRun } from '../../../src/storage/table/sorted-run.ts';
import { tableDefaults } from '../../../src/storage/table/table-options.ts';
import { openTable, TableFiles, writeTable } from '../files.ts';
import { anyKey, anyRange, anyWrites, isWithin, Model, readAll, type Version } from '../model.ts';

const everything = { from: new Uint8Array(0), to: undefined };
const noWait: Pick<MergeTask, 'clock' | 'scheduler' | 'sliceMs'> = {
  clock: { unixMs: () => 0, monotonicMs: () => 0 },
  scheduler: {
    yield: () => Promise.resolve(),
    afterTurn: (task) => task(),
    after: () => ({ cancel: () => undefined }),
  },
  sliceMs: 5,
};

interface Merge {
  readonly snapshots?: readonly number[];
  readonly isBottom?: boolean;
  readonly dropped?: MergeTask['dropped'];
  readonly tableBytes?: number;
  readonly isLate?: boolean;
}

/** Splits `writes` into sources at `cuts`, merges them, and gives the outputs as a run. */
async function merge(writes: readonly Version[], cuts: readonly number[], how: Merge) {
  const bounds = [0, ...cuts.map((cut) => cut % (writes.length + 1)).toSorted((a, b) => a - b)];
  const inputs = bounds.flatMap((from, i) => {
    const part = writes.slice(from, bounds[i + 1]);
    const name = `sst/0000000001-000000000${i}`;
    const file = part.length === 0 ? undefined : writeTable(part, { blockRowsMax: 3 }, name);
    return file === undefined ? [] : [openTable(file, { isLate: how.isLate === true })];
  });
  const files = new TableFiles();
  const result = await runMerge(inputs.reverse(), {
    range: everything,
    snapshots: how.snapshots ?? [],
    isBottom: how.isBottom ?? true,
    dropped: how.dropped ?? [],
    table: { ...tableDefaults, blockRowsMax: 3 },
    tableBytes: how.tableBytes ?? 1 << 20,
    stopAfterBytes: undefined,
    openOutput: () => files.create(),
    ...noWait,
  });
  const runOf = (tables: readonly TableEntry[]) =>
    new SortedRun(tables.map((entry) => files.open(entry)));
  const [run, past] = [runOf(result.outputs), runOf(result.past)];
  const seenBelow = Math.max(...result.past.map((each) => each.seenBelow));
  const sourcesAt = (snapshot: number) => (snapshot < seenBelow ? [run, past] : [run]);
  return { ...result, run, sourcesAt };
}

const modelOf = (versions: readonly Version[]): Model => {
  const model = new Model();
  for (const version of versions) model.write(version);
  return model;
};
const anyCuts = fc.array(fc.nat(80), { maxLength: 5 });
const anySnapshots = fc.uniqueArray(fc.nat(81), { maxLength: 4 });

const entriesOf = (tables: readonly TableEntry[]): number =>
  tables.reduce((sum, { entries }) => sum + entries, 0);
const key = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a merge', () => {
  test('keeps what every snapshot reads', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyWrites(80),
        anyCuts,
        anySnapshots,
        fc.record({ isBottom: fc.boolean(), isLate: fc.boolean(), tableBytes: fc.nat(600) }),
        async (writes, cuts, snapshots, how) => {
          const { sourcesAt } = await merge(writes, cuts, { ...how, snapshots });
          const model = modelOf(writes);
          for (const snapshot of [...snapshots, writes.length, 1e6]) {
            const sources = sourcesAt(snapshot);
            expect(await readAll(scanNewest(sources, everything, 'forward', snapshot))).toEqual(
              model.scan(everything, 'forward', snapshot),
            );
            expect(await readAll(scanNewest(sources, everything, 'backward', snapshot))).toEqual(
              model.scan(everything, 'backward', snapshot),
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('puts one version of each key into its run, and what only older snapshots see into the past run', async () => {
    let pasts = 0;
    await fc.assert(
      fc.asyncProperty(anyWrites(80), anyCuts, anySnapshots, async (writes, cuts, snapshots) => {
        const { outputs, past } = await merge(writes, cuts, { snapshots, isBottom: false });
        const keys = new Set(writes.map(({ key }) => key.toHex()));
        expect(entriesOf(outputs)).toBe(keys.size);
        const seen = snapshots.flatMap((snapshot) => newestOf(writes, snapshot));
        const older = seen.filter((each) => !newestOf(writes, 1e6).includes(each));
        expect(entriesOf(past)).toBe(new Set(older).size);
        const needs = snapshots.filter((snapshot) =>
          newestOf(writes, snapshot).some((each) => older.includes(each)),
        );
        for (const snapshot of needs) {
          expect(past.some(({ seenBelow }) => snapshot < seenBelow)).toBe(true);
        }
        pasts += past.length;
      }),
      { numRuns: 200 },
    );
    expect(pasts).toBeGreaterThan(50);
  });

  test('at the bottom, keeps a deletion only above versions that a snapshot sees', async () => {
    const at = (sequence: number, value?: string): Version => ({
      key: key('a'),
      value: value === undefined ? undefined : key(value),
      sequence,
    });
    const inserted = await merge([at(2, 'new'), at(3)], [], { snapshots: [1] });
    expect([inserted.outputs, inserted.past]).toEqual([[], []]);
    const deleted = await merge([at(1, 'old'), at(3)], [], { snapshots: [1] });
    expect(deleted.outputs).toEqual([]);
    expect(deleted.past).toMatchObject([{ entries: 2, seenBelow: 3 }]);
  });

  test('keeps one version of each key for each snapshot at most', async () => {
    await fc.assert(
      fc.asyncProperty(anyWrites(80), anyCuts, anySnapshots, async (writes, cuts, snapshots) => {
        const { counters } = await merge(writes, cuts, { snapshots, isBottom: false });
        const views = [...snapshots, 1e6];
        const seen = new Set(
          views.flatMap((snapshot) =>
            newestOf(writes, snapshot).map((each) => `${each.key.toHex()} ${each.sequence}`),
          ),
        );
        expect(counters).toMatchObject({
          inputEntries: writes.length,
          outputEntries: seen.size,
        });
      }),
      { numRuns: 200 },
    );
  });

  test('at the bottom without snapshots, exactly the live entries are left', async () => {
    await fc.assert(
      fc.asyncProperty(anyWrites(80), anyCuts, async (writes, cuts) => {
        const { counters, outputs } = await merge(writes, cuts, {});
        const live = modelOf(writes).scan(everything, 'forward', 1e6);
        expect(counters.outputEntries).toBe(live.length);
        expect(outputs.every((entry) => entry.sequenceMax === 0)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('versions of one key never lie in two files', async () => {
    await fc.assert(
      fc.asyncProperty(anyWrites(80), anyCuts, anySnapshots, async (writes, cuts, snapshots) => {
        const { outputs } = await merge(writes, cuts, { snapshots, tableBytes: 1 });
        for (let i = 1; i < outputs.length; i++) {
          const [before, after] = [outputs[i - 1], outputs[i]];
          const order = Buffer.compare(
            before?.largest as Uint8Array,
            after?.smallest as Uint8Array,
          );
          expect(order).toBeLessThan(0);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('leaves out dropped ranges', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyWrites(80),
        fc.array(anyRange, { maxLength: 3 }),
        anyCuts,
        async (writes, dropped, cuts) => {
          const { run } = await merge(writes, cuts, { dropped, isBottom: false });
          const kept = writes.filter(({ key }) => !dropped.some((range) => isWithin(range, key)));
          expect(await readAll(scanNewest([run], everything, 'forward', 1e6))).toEqual(
            modelOf(kept).scan(everything, 'forward', 1e6),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('a set of ranges knows its gaps, what it covers and what it meets', () => {
  const all = fc.array(anyRange, { maxLength: 6 });
  fc.assert(
    fc.property(anyRange, all, anyKey, anyKey, (range, dropped, key, other) => {
      const set = new RangeSet(dropped);
      const isIn = (each: Uint8Array) => dropped.some((drop) => isWithin(drop, each));
      const gaps = set.gaps(range);
      const isKept = isWithin(range, key) && !isIn(key);
      expect(gaps.filter((gap) => isWithin(gap, key)).length).toBe(isKept ? 1 : 0);
      expect(set.covers(key, key)).toBe(isIn(key));
      expect(set.meets(key, key)).toBe(isIn(key));
      const [low, high] = Buffer.compare(key, other) <= 0 ? [key, other] : [other, key];
      if (set.covers(low, high)) expect(isIn(low) && isIn(high)).toBe(true);
      if (isIn(low) || isIn(high)) expect(set.meets(low, high)).toBe(true);
      const inner = { from: low, to: afterKey(high) };
      expect(set.covers(low, high)).toBe(set.gaps(inner).length === 0);
      expect(set.meets(low, high)).toBe(set.ranges.some((drop) => overlap(drop, inner)));
    }),
    { numRuns: 1000 },
  );
});

function overlap(left: KeyRange, right: KeyRange): boolean {
  const startsBefore = (a: KeyRange, b: KeyRange) =>
    b.to === undefined || Buffer.compare(a.from, b.to) < 0;
  return startsBefore(left, right) && startsBefore(right, left);
}

test('a merge gives way when its slice is over', async () => {
  let now = 0;
  let yields = 0;
  const writes = Array.from({ length: 2000 }, (_, i) => ({
    key: Uint8Array.of(i >> 8, i & 0xff),
    value: new Uint8Array(3),
    sequence: i + 1,
  }));
  const files = new TableFiles();
  const result = await runMerge([openTable(writeTable(writes))], {
    range: everything,
    snapshots: [],
    isBottom: true,
    dropped: [],
    table: tableDefaults,
    tableBytes: 1 << 20,
    stopAfterBytes: undefined,
    openOutput: () => files.create(),
    clock: { unixMs: () => 0, monotonicMs: () => now++ },
    scheduler: { ...noWait.scheduler, yield: async () => void yields++ },
    sliceMs: 2,
  });
  expect(result.counters.outputEntries).toBe(2000);
  expect(yields).toBe(3);
});

test('a merge that cannot open its next table leaves no rejection of the last one behind', async () => {
  const stray: unknown[] = [];
  const collect = (error: unknown) => void stray.push(error);
  process.on('unhandledRejection', collect);
  const files = new TableFiles();
  const closing = Promise.withResolvers<void>();
  let opened = 0;
  const writes = Array.from({ length: 100 }, (_, i) => ({
    key: Uint8Array.of(i),
    sequence: i + 1,
    value: new Uint8Array(100),
  }));
  const merging = runMerge([openTable(writeTable(writes))], {
    range: everything,
    snapshots: [],
    isBottom: true,
    dropped: [],
    table: { ...tableDefaults, blockRowsMax: 3 },
    tableBytes: 500,
    stopAfterBytes: undefined,
    openOutput() {
      if (++opened > 1) throw new Error('no room for another one');
      return { ...files.create(), finish: () => closing.promise };
    },
    ...noWait,
  });
  expect(await merging.catch((error: Error) => error.message)).toBe('no room for another one');
  closing.reject(new Error('the last one is gone'));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', collect);
  expect(opened).toBe(2);
  expect(stray).toEqual([]);
});

function newestOf(writes: readonly Version[], snapshot: number): Version[] {
  const newest = new Map<string, Version>();
  for (const write of writes) {
    if (write.sequence <= snapshot) newest.set(write.key.toHex(), write);
  }
  return [...newest.values()];
}
