import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyJob, dropRanges } from '../../../src/storage/compaction/apply-job.ts';
import { setAside } from '../../../src/storage/compaction/around-damage.ts';
import type { CompactionJob } from '../../../src/storage/compaction/job.ts';
import {
  type CompactionOptions,
  checkCompactionOptions,
  compactionDefaults,
} from '../../../src/storage/compaction/options.ts';
import { pickJob, pickTidy } from '../../../src/storage/compaction/pick-job.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import { RangeSet } from '../../../src/storage/key/range-set.ts';
import { levels } from '../../../src/storage/manifest/levels.ts';
import type { RunEntry, TableEntry } from '../../../src/storage/manifest/manifest.ts';
import { runWith } from '../../../src/storage/manifest/run-part.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { runMerge } from '../../../src/storage/merge/run-merge.ts';
import { SortedRun } from '../../../src/storage/table/sorted-run.ts';
import { tableDefaults } from '../../../src/storage/table/table-options.ts';
import { runOf as openedAs, openRunOf, pastRunOf } from '../../../src/storage/version/open-run.ts';
import { VersionSet } from '../../../src/storage/version/version-set.ts';
import { TableFiles } from '../files.ts';
import { anyWrites, Model, readAll, readInRuns, type Version } from '../model.ts';

const everything = { from: new Uint8Array(0), to: undefined };
const options: CompactionOptions = {
  ...compactionDefaults,
  flushedMin: 2,
  flushedStop: 4,
  tiersMin: 2,
  tiersMax: 4,
  jobBytes: 400,
};

/** A store without a log: writes, flushes, and merges that may overlap in time. */
class Tree {
  runs: readonly RunEntry[] = [];
  readonly model = new Model();
  readonly kinds = new Set<string>();
  readonly snapshots: number[] = [];
  stops = 0;
  stoppedTiers = 0;
  /** Past runs seen by checks. */
  pasts = 0;
  /** Names of tables that merges leave alone, for now. */
  damaged: ReadonlySet<string> = new Set();
  private begun = new Set<string>();
  private readonly files = new TableFiles();
  private readonly running: { job: CompactionJob; work: ReturnType<typeof runMerge> }[] = [];

  async flush(writes: readonly Version[]): Promise<void> {
    const memtable = new Memtable();
    for (const write of writes) {
      this.model.write(write);
      if (write.value === undefined) memtable.delete(write.key, write.sequence);
      else memtable.put(write.key, write.value, write.sequence);
    }
    memtable.freeze();
    const job = { ...flushJob, stopAfterBytes: undefined };
    const { outputs: tables, past } = await this.merge([memtable], job);
    if (tables.length > 0) this.runs = [runWith(levels.flushed, { tables, past }), ...this.runs];
  }

  startJob(): boolean {
    const running = this.running.map(({ job }) => job);
    return this.start(pickJob(this.runs, options, running, this.damaged, this.begun));
  }

  /** A part of a merge of everything. */
  startTidy(): boolean {
    return this.start(pickTidy(this.runs, options, 0));
  }

  private start(job: CompactionJob | undefined): boolean {
    if (job === undefined) return false;
    const inputs = job.inputs
      .flatMap((tables, i) => [tables, job.past[i] ?? []])
      .map((tables) => this.sourceOf(tables));
    this.kinds.add(job.kind);
    this.running.push({ job, work: this.merge(inputs, job) });
    return true;
  }

  async finishJob(): Promise<void> {
    const done = this.running.shift();
    if (done === undefined) return;
    const result = await done.work;
    if (result.resumeAt !== undefined) this.stops++;
    if (done.job.kind === 'tiers') {
      const left = result.resumeAt === undefined ? [] : done.job.inputs.slice(0, -1).flat();
      this.begun = new Set(left.map(({ name }) => name));
      if (left.length > 0) this.stoppedTiers++;
    }
    this.runs = applyJob(this.runs, done.job, result);
  }

  async check(): Promise<void> {
    const versions = this.versions();
    for (const snapshot of [...this.snapshots, this.model.versions.length]) {
      for (const direction of ['forward', 'backward'] as const) {
        const sources = versions.current.sourcesAt(snapshot);
        const shown = this.model.scan(everything, direction, snapshot);
        const open = () => scanNewest(sources, everything, direction, snapshot);
        expect(await readAll(open())).toEqual(shown);
        expect(await readInRuns(open(), 5)).toEqual(shown);
      }
    }
    for (const { tables, past = [] } of this.runs) {
      expect(await this.isEachKeyOnce(tables)).toBe(true);
      if (past.length > 0) this.pasts++;
      for (const run of [tables, past]) {
        for (let i = 1; i < run.length; i++) {
          const [before, after] = [run[i - 1] as TableEntry, run[i] as TableEntry];
          expect(Buffer.compare(before.largest, after.smallest)).toBeLessThan(0);
        }
      }
    }
  }

  /** Ends a view, and forgets what no other view needs. */
  end(view: number): void {
    this.snapshots.splice(view % this.snapshots.length, 1);
    const versions = this.versions();
    versions.forgetPast(Math.min(...this.snapshots, Infinity));
    this.runs = versions.runs.map(openedAs);
  }

  private versions(): VersionSet {
    const held = (entry: TableEntry) => ({ table: this.files.open(entry), holders: 0 });
    const versions = new VersionSet();
    versions.change(
      this.runs.map(({ level, tables, past = [] }) =>
        openRunOf(level, tables.map(held), pastRunOf(past, past.map(held))),
      ),
    );
    return versions;
  }

  private async isEachKeyOnce(tables: readonly TableEntry[]): Promise<boolean> {
    const cursor = this.sourceOf(tables).versions(everything);
    const keys = new Set<string>();
    for (let entries = 1; cursor.next() === true; entries++) {
      keys.add(Buffer.from(cursor.key.subarray(cursor.keyFrom, cursor.keyTo)).toString('hex'));
      if (keys.size < entries) return false;
    }
    return true;
  }

  private sourceOf(tables: readonly TableEntry[]): SortedRun {
    return new SortedRun(tables.map((each) => this.files.open(each)));
  }

  private merge(inputs: Parameters<typeof runMerge>[0], job: CompactionJob) {
    return runMerge(inputs, {
      range: job.range,
      snapshots: [...this.snapshots],
      isBottom: job.isBottom,
      dropped: [],
      table: { ...tableDefaults, blockRowsMax: 4 },
      tableBytes: 300,
      stopAfterBytes: job.stopAfterBytes,
      openOutput: () => this.files.create(),
      clock: { unixMs: () => 0, monotonicMs: () => 0 },
      scheduler: {
        yield: () => Promise.resolve(),
        afterTurn: (task) => task(),
        after: () => ({ cancel: () => undefined }),
      },
      sliceMs: 5,
    });
  }
}

const flushJob: Omit<CompactionJob, 'stopAfterBytes'> = {
  kind: 'flushed',
  inputs: [],
  past: [],
  range: everything,
  level: levels.flushed,
  isBottom: false,
};

test('a tree under writes, flushes and overlapping merges reads like the model', async () => {
  const kinds = new Set<string>();
  let stops = 0;
  let stoppedTiers = 0;
  let pasts = 0;
  await fc.assert(
    fc.asyncProperty(
      anyWrites(400),
      fc.array(
        fc.record({
          flush: fc.nat(30),
          start: fc.nat(2),
          finish: fc.nat(2),
          end: fc.nat(20),
        }),
        { minLength: 12, maxLength: 24 },
      ),
      fc.array(fc.nat(20), { maxLength: 5 }),
      async (writes, rounds, snapshotRounds) => {
        const tree = new Tree();
        let at = 0;
        for (const [round, { flush, start, finish, end }] of rounds.entries()) {
          await tree.flush(writes.slice(at, at + flush));
          at = Math.min(at + flush, writes.length);
          if (snapshotRounds.includes(round)) tree.snapshots.push(at);
          for (let i = 0; i < start; i++) tree.startJob();
          for (let i = 0; i < finish; i++) await tree.finishJob();
          await tree.check();
          if (end < 4 && tree.snapshots.length > 0) {
            tree.end(end);
            await tree.check();
          }
        }
        for (let i = 0; i < 2000; i++) {
          tree.startJob();
          await tree.finishJob();
        }
        await tree.check();
        expect(tree.startJob()).toBe(false);
        for (const kind of tree.kinds) kinds.add(kind);
        stops += tree.stops;
        stoppedTiers += tree.stoppedTiers;
        pasts += tree.pasts;
        while (tree.snapshots.length > 0) tree.end(0);
        expect(tree.runs.every((run) => run.past === undefined)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
  expect([...kinds].sort()).toEqual(['bottom', 'flushed', 'tiers']);
  expect(stops).toBeGreaterThan(0);
  expect(stoppedTiers).toBeGreaterThan(0);
  expect(pasts).toBeGreaterThan(30);
});

test('what could not be read for a while, and was not set aside in time, is merged in its order later', async () => {
  let passedOver = 0;
  await fc.assert(
    fc.asyncProperty(
      anyWrites(300),
      fc.array(fc.record({ damaged: fc.nat(6), start: fc.nat(2), finish: fc.nat(2) }), {
        minLength: 12,
        maxLength: 24,
      }),
      async (writes, rounds) => {
        const tree = new Tree();
        for (const [round, { damaged, start, finish }] of rounds.entries()) {
          await tree.flush(writes.slice(12 * round, 12 * (round + 1)));
          const name = tree.runs[damaged]?.tables[0]?.name;
          tree.damaged = new Set(name === undefined ? [] : [name]);
          if (tree.runs[damaged]?.level === levels.flushed) passedOver += tree.startJob() ? 1 : 0;
          for (let i = 0; i < start; i++) tree.startJob();
          for (let i = 0; i < finish; i++) await tree.finishJob();
          const merged = tree.runs.findIndex(({ level }) => level !== levels.flushed);
          const older = merged < 0 ? [] : tree.runs.slice(merged);
          expect(older.filter(({ level }) => level === levels.flushed)).toEqual([]);
          await tree.check();
        }
        tree.damaged = new Set();
        while (tree.startJob()) await tree.finishJob();
        await tree.check();
      },
    ),
    { numRuns: 25 },
  );
  expect(passedOver).toBeGreaterThan(0);
});

test('a merge of everything, part by part, ends though versions have to be kept', async () => {
  let stops = 0;
  await fc.assert(
    fc.asyncProperty(anyWrites(300), fc.array(fc.nat(11)), async (writes, snapshotRounds) => {
      const tree = new Tree();
      for (let round = 0; round < 12; round++) {
        await tree.flush(writes.slice(25 * round, 25 * (round + 1)));
        if (snapshotRounds.includes(round)) tree.snapshots.push(tree.model.versions.length);
      }
      let parts = 0;
      for (; tree.startTidy(); parts++) {
        await tree.finishJob();
        expect(parts).toBeLessThan(300);
      }
      await tree.check();
      expect(tree.runs.every((run) => run.level === levels.bottom)).toBe(true);
      stops += tree.stops;
    }),
    { numRuns: 40 },
  );
  expect(stops).toBeGreaterThan(100);
});

const key = (n: number): Uint8Array => Uint8Array.of(n);
let names = 0;
const table = (from: number, to: number, bytes = 100): TableEntry => ({
  name: `sst/${names++}`,
  bytes,
  smallest: key(from),
  largest: key(to),
  sequenceMin: 1,
  sequenceMax: 1,
  entries: 1,
  hash: 0n,
});
const runOf = (level: number, ...tables: TableEntry[]): RunEntry => ({ level, tables });

describe('picking', () => {
  const flushed = (): RunEntry => runOf(levels.flushed, table(0, 9));
  const tier = (bytes = 100): RunEntry => runOf(levels.tier, table(0, 9, bytes));

  test('nothing is due in a small tree', () => {
    expect(pickJob([], options, [])).toBeUndefined();
    expect(pickJob([flushed(), tier(), runOf(levels.bottom, table(0, 9))], options, [])).toBe(
      undefined,
    );
  });

  test('flushed tables come first, and go to the bottom only when nothing is below', () => {
    const tree = [flushed(), flushed(), tier(), tier(), runOf(levels.bottom, table(0, 9))];
    expect(pickJob(tree, options, [])).toMatchObject({
      kind: 'flushed',
      level: levels.tier,
      isBottom: false,
    });
    expect(pickJob(tree.slice(0, 2), options, [])).toMatchObject({
      level: levels.bottom,
      isBottom: true,
    });
  });

  test('a merge of flushed tables finds a free place while the bottom is merged', () => {
    const tree = [flushed(), flushed(), tier(), tier()];
    const flushing = pickJob(tree, options, []) as CompactionJob;
    const bottom = pickJob(tree, options, [flushing]) as CompactionJob;
    expect([flushing.kind, bottom.kind]).toEqual(['flushed', 'bottom']);
    expect(pickJob(tree, options, [bottom])?.kind).toBe('flushed');
    expect(pickJob(tree, options, [flushing, bottom])).toBeUndefined();
  });

  test('a bottom that is too large waits, until there are too many tiers', () => {
    const bottom = runOf(levels.bottom, table(0, 9, 1e6));
    const growing = [tier(1), tier(100), bottom];
    expect(pickJob(growing, options, [])).toBeUndefined();
    expect(pickJob([tier(90), tier(100), bottom], options, [])?.kind).toBe('tiers');
    expect(pickJob([tier(1), tier(9), tier(99), tier(999), bottom], options, [])?.kind).toBe(
      'bottom',
    );
  });

  test('the oldest tiers go to the bottom, no more than make it due', () => {
    const tiers = [tier(), tier(), tier(), tier()];
    const job = pickJob([...tiers, runOf(levels.bottom, table(0, 9))], options, []);
    expect(job).toMatchObject({ kind: 'bottom' });
    expect(job?.inputs.slice(0, -1)).toEqual(tiers.slice(-2).map(({ tables }) => tables));
  });

  test('tiers that a stopped job was merging are merged on, whatever has become of their sizes', () => {
    const [newer, older, next] = [table(0, 9), table(0, 9), table(0, 9)];
    const bottom = runOf(levels.bottom, table(0, 9, 1e6));
    const tree = [newer, older, next].map((each) => runOf(levels.tier, each));
    const three = { ...options, tiersMin: 3 };
    const job = pickJob([...tree, bottom], three, []) as CompactionJob;
    expect(job).toMatchObject({ kind: 'tiers', stopAfterBytes: options.jobBytes });
    expect(job.inputs).toEqual([[newer], [older], [next]]);
    const output = table(0, 4, 5000);
    const after = applyJob([...tree, bottom], job, {
      outputs: [output],
      past: [],
      resumeAt: key(5),
    });
    const raised = (entry: TableEntry) => ({ ...entry, smallest: key(5) });
    const merged = runOf(levels.tier, output, raised(next));
    expect(after).toEqual([
      runOf(levels.tier, raised(newer)),
      runOf(levels.tier, raised(older)),
      merged,
      bottom,
    ]);
    expect(pickJob(after, three, [])).toBeUndefined();
    const begun = new Set([newer.name, older.name]);
    const rest = pickJob(after, three, [], undefined, begun) as CompactionJob;
    expect(rest.inputs).toEqual([[raised(newer)], [raised(older)], [raised(next)]]);
    const last = table(5, 9);
    expect(applyJob(after, rest, { outputs: [last], past: [], resumeAt: undefined })).toEqual([
      runOf(levels.tier, output, last),
      bottom,
    ]);
    // All of the tier below has been dropped meanwhile.
    const orphaned = [...after.slice(0, 2), bottom];
    expect(applyJob(orphaned, rest, { outputs: [last], past: [], resumeAt: undefined })).toEqual([
      runOf(levels.tier, last),
      bottom,
    ]);
  });

  test('only the overlapped part of the bottom takes part', () => {
    const parts = [table(0, 9), table(10, 19), table(20, 29)];
    const tree = [
      runOf(levels.tier, table(15, 40)),
      runOf(levels.tier, table(17, 18)),
      runOf(levels.bottom, ...parts),
    ];
    const job = pickJob(tree, options, []) as CompactionJob;
    expect(job.inputs.at(-1)).toEqual(parts.slice(1));
    expect(job.range.from).toEqual(key(10));
  });
});

describe('a damaged table', () => {
  const runs = [
    ...Array.from({ length: 3 }, () => runOf(levels.flushed, table(0, 9))),
    ...Array.from({ length: 3 }, () => runOf(levels.tier, table(0, 4), table(5, 9))),
    runOf(levels.bottom, table(0, 4), table(5, 9)),
  ];
  const damagedAt = runs.flatMap(({ tables }, run) =>
    tables.map(({ name }, i) => ({ run, table: i, damaged: new Set([name]) })),
  );

  test.each(damagedAt)('%#: no merge reads it, or a run older than it', ({ run, damaged }) => {
    const older = new Set(runs.slice(run).flatMap(({ tables }) => tables.map(({ name }) => name)));
    const running: CompactionJob[] = [];
    const all = { ...options, jobsMax: 8 };
    for (let job = pickJob(runs, all, running, damaged); job !== undefined; ) {
      expect(job.inputs.flat().filter(({ name }) => older.has(name))).toEqual([]);
      expect(job.isBottom).toBe(false);
      running.push(job);
      job = pickJob(runs, all, running, damaged);
    }
    expect(running.length > 0).toBe(run > 1);
  });

  test.each(damagedAt)('%#: set aside, flushed ones from it on are tiers', ({ run, damaged }) => {
    const aside = setAside(runs, damaged);
    expect(aside.map(({ tables }) => tables)).toEqual(runs.map(({ tables }) => tables));
    expect(aside.map(({ level }) => level)).toEqual(
      runs.map(({ level }, i) => (level === levels.flushed && i >= run ? levels.tier : level)),
    );
  });

  test('that is not in the tree any more sets nothing aside', () => {
    expect(setAside(runs, new Set(['sst/gone']))).toEqual(runs);
    expect(setAside(runs, new Set())).toEqual(runs);
  });
});

test('a flushed table that a merge has passed over is no neighbour of newer ones any more', () => {
  const [lost, tier] = [table(0, 9), table(0, 9)];
  const flushed = [table(0, 9), table(0, 9), table(0, 9)];
  const tree = [...flushed, lost].map((each) => runOf(levels.flushed, each));
  const older = [runOf(levels.tier, tier), runOf(levels.bottom, table(0, 9, 1e6))];
  const job = pickJob([...tree, ...older], options, [], new Set([lost.name])) as CompactionJob;
  expect(job.inputs).toEqual(flushed.map((each) => [each]));
  const output = table(0, 9);
  const after = applyJob([...tree, ...older], job, {
    outputs: [output],
    past: [],
    resumeAt: undefined,
  });
  expect(after).toEqual([runOf(levels.tier, output), runOf(levels.tier, lost), ...older]);
  const two = [table(0, 9), table(0, 9)];
  const later = [...two.map((each) => runOf(levels.flushed, each)), ...after];
  expect(pickJob(later, options, [])?.inputs).toEqual(two.map((each) => [each]));
});

test('a table that is written again stays in its run', () => {
  const [before, lost, after] = [table(0, 4), table(5, 9), table(10, 14)];
  const others = [runOf(levels.tier, table(0, 20)), runOf(levels.bottom, table(0, 20))] as const;
  const job: CompactionJob = {
    kind: 'rewrite',
    inputs: [[lost]],
    past: [],
    range: everything,
    level: levels.tier,
    isBottom: false,
    stopAfterBytes: undefined,
  };
  const again = table(5, 9);
  const tree = [others[0], runOf(levels.tier, before, lost, after), others[1]];
  expect(applyJob(tree, job, { outputs: [again], past: [], resumeAt: undefined })).toEqual([
    others[0],
    runOf(levels.tier, before, again, after),
    others[1],
  ]);
});

test('a merge of everything leaves alone what of the bottom lies outside of it', () => {
  const bottom = [table(0, 5), table(6, 12), table(13, 19), table(20, 29)];
  const above = table(10, 15);
  const tree = [runOf(levels.flushed, above), runOf(levels.bottom, ...bottom)];
  expect(pickTidy(tree, options, 0)?.inputs).toEqual([[above], bottom.slice(1, 3)]);
  expect(pickTidy(tree, options, 0.25)).toBeUndefined();
});

test('tables inside dropped ranges leave the tree at once', () => {
  const kept = [table(0, 5), table(30, 40)];
  const tree = [
    runOf(levels.flushed, table(10, 19)),
    runOf(levels.bottom, kept[0] as TableEntry, table(12, 15), kept[1] as TableEntry),
  ];
  expect(dropRanges(tree, new RangeSet([{ from: key(10), to: key(20) }]))).toEqual([
    runOf(levels.bottom, ...kept),
  ]);
  expect(dropRanges(tree, new RangeSet([{ from: key(0), to: undefined }]))).toEqual([]);
});

test.each([
  [{ flushedMin: 9, flushedStop: 8 }, 'flushing stops at 8'],
  [{ tiersMin: 5, tiersMax: 4 }, 'compacted into the bottom run at 4'],
  [{ jobsMax: 1 }, 'reserved for L0 SSTables'],
  [{ flushedMin: 0 }, 'at least 1'],
])('options that would halt are refused: %j', (change, message) => {
  checkCompactionOptions(compactionDefaults);
  expect(() => checkCompactionOptions({ ...compactionDefaults, ...change })).toThrow(message);
});
