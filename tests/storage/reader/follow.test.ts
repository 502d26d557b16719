/** Readers beside a writer that flushes, merges, drops and restarts all the time: each view is exactly the state of its sequence. */

import { expect, test } from 'bun:test';
import type { ReaderStore, Snapshot } from '#storage';
import { seededRandom } from '../object/seeded-world.ts';
import { bytes, read, take } from '../transaction/support.ts';
import { share } from './support.ts';

const everything = { from: bytes(''), to: undefined };

type Rows = Map<string, string>;

interface Held {
  readonly view: Snapshot;
  readonly until: number;
}

async function follow(kind: 'segments' | 'bucket', seed: number, rounds: number) {
  const random = seededRandom(seed);
  const below = (max: number) => Math.floor(random() * max);
  const { world, writer, reader, names } = share(kind);
  const tiny = { memtableBytes: 1500, cacheBytes: 1 << 16 };
  let store = await writer(tiny);
  const states = new Map<number, Rows>([[0, new Map()]]);
  let rows: Rows = new Map();
  /** By the sequence of the commit. Nobody asks any more for what is in them: it may be there or not. */
  const dropped = new Set<string>();
  const droppedAt = new Map<number, ReadonlySet<string>>();
  let readers: ReaderStore[] = [await reader({ cacheBytes: 1 << 16 })];
  let held: Held[] = [];
  const report = { views: 0, moves: 0, states: new Set<number>() };

  const commit = async () => {
    const transaction = store.begin();
    const next = new Map(rows);
    const prefix = 'abc'[below(3)] as string;
    if (below(25) === 0) {
      transaction.dropRange({ from: bytes(prefix), to: bytes(`${prefix}~`) });
      for (const key of [...next.keys()]) if (key.startsWith(prefix)) next.delete(key);
      dropped.add(prefix);
    }
    for (let i = below(4); i >= 0; i--) {
      const key = `d${below(40)}`;
      const value = `${below(1e9)}`.repeat(4);
      if (below(5) === 0) {
        transaction.delete(bytes(key));
        next.delete(key);
      } else {
        transaction.put(bytes(key), bytes(value));
        next.set(key, value);
      }
    }
    const outcome = await transaction.commit();
    transaction.release();
    if (outcome.kind !== 'committed') throw new Error(outcome.kind);
    rows = next;
    states.set(outcome.sequence, rows);
    droppedAt.set(outcome.sequence, new Set(dropped));
  };

  const check = async (view: Snapshot) => {
    const expected = states.get(view.sequence);
    expect(expected).toBeDefined();
    const sorted = [...(expected as Rows)].sort(([a], [b]) => (a < b ? -1 : 1));
    const found = await take(view.scan(everything, below(2) === 0 ? 'forward' : 'backward'));
    const gone = droppedAt.get(view.sequence);
    expect(found.filter((row) => gone?.has(row[0] as string) !== true).sort()).toEqual(
      sorted.map(([key, value]) => `${key}=${value}`).sort(),
    );
    const key = `d${below(40)}`;
    expect(await read(view, key)).toBe((expected as Rows).get(key) as string);
    report.views++;
    report.states.add(view.sequence);
  };

  // Rows that drops have something to take from, made once.
  const seedRows = store.begin();
  for (let i = 0; i < 60; i++) {
    const key = `${'abc'[i % 3]}${i}`;
    seedRows.put(bytes(key), bytes('x'.repeat(40)));
    rows.set(key, 'x'.repeat(40));
  }
  const seeded = await seedRows.commit();
  seedRows.release();
  if (seeded.kind === 'committed') states.set(seeded.sequence, new Map(rows));

  for (let round = 0; round < rounds; round++) {
    await commit();
    if (below(4) === 0) await world.scheduler.yield();
    if (below(10) === 0) world.advance(1000);
    if (below(60) === 0) await store.tidy();
    if (below(120) === 0) {
      // A crash, as far as the place knows: nothing was flushed for it.
      await store.close();
      store = await writer(tiny);
    }
    const one = readers[below(readers.length)] as ReaderStore;
    if (below(3) === 0 && (await one.refresh())) report.moves++;
    if (below(6) === 0) held.push({ view: one.snapshot(), until: round + below(80) });
    for (const { view, until } of held) {
      if (below(12) === 0 || until <= round) await check(view);
      if (until <= round) view.release();
    }
    held = held.filter(({ until }) => until > round);
    if (below(50) === 0 && readers.length < 3) readers.push(await reader({ cacheBytes: 1 << 16 }));
    if (below(90) === 0 && readers.length > 1 && held.length === 0) {
      await readers.pop()?.close();
    }
  }
  for (const { view } of held) {
    await check(view);
    view.release();
  }
  await store.tidy();
  for (const one of readers) {
    await one.refresh();
    await check(one.snapshot());
    await one.close();
  }
  readers = [];
  expect(await names('pin/')).toEqual([]);
  // Nothing holds anything any more: what is left is what the newest manifest names.
  for (let second = 0; second < 3; second++) {
    world.advance(1000);
    await store.idle();
    for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
  }
  const named = store.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
  expect((await names('sst/')).length).toBe(named);
  await store.close();
  return report;
}

for (const kind of ['segments', 'bucket'] as const) {
  for (const seed of [1, 2, 3]) {
    test(`${kind}, seed ${seed}`, async () => {
      const report = await follow(kind, seed, 400);
      expect(report.views).toBeGreaterThan(40);
      expect(report.moves).toBeGreaterThan(10);
      expect(report.states.size).toBeGreaterThan(10);
    });
  }
}
