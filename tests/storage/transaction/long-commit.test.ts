/** A commit of many writes: the event loop turns while it is applied, and nobody sees a part of it. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld, type World } from '#base';
import { openStore, type StoreOptions, type Transaction } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { bytes, range, read, take } from './support.ts';

const count = 10_000;
const key = (i: number): string => `key ${String(i).padStart(6, '0')}`;
const directory = mkdtempSync(join(tmpdir(), 'svc-long-commit-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A world that says when work gives way; what is told runs before the work goes on. */
class Turns {
  count = 0;
  each: (turn: number) => void | Promise<void> = () => {};
  readonly world: World;

  constructor() {
    const world = systemWorld();
    const turned = async () => {
      await world.scheduler.yield();
      await this.each(++this.count);
    };
    this.world = { ...world, scheduler: { ...world.scheduler, yield: turned } };
  }
}

async function open(turns: Turns, options: Partial<StoreOptions> = {}): Promise<LsmStore> {
  return openStore({ storage: 'memory', world: turns.world, areaOf: () => 1, ...options });
}

function begin(store: LsmStore, from = 0, to = count): Transaction {
  const transaction = store.begin();
  for (let i = from; i < to; i++) transaction.put(bytes(key(i)), bytes('new'));
  return transaction;
}

async function commit(transaction: Transaction): Promise<string> {
  try {
    return (await transaction.commit()).kind;
  } finally {
    transaction.release();
  }
}

test('a short commit takes one go', async () => {
  const turns = new Turns();
  const store = await open(turns);
  expect(await commit(begin(store, 0, 1000))).toBe('committed');
  expect(turns.count).toBe(0);
});

test('readers and entity tags see the state before until the end, then all of it', async () => {
  const turns = new Turns();
  const store = await open(turns);
  await commit(begin(store, 0, 1));
  const before = store.changeOf(1);
  const seen = new Set<string>();
  turns.each = async () => {
    const snapshot = store.snapshot();
    const entries = await take(snapshot.scan(range(''), 'forward'));
    seen.add(`${snapshot.sequence} ${entries.length} ${store.changeOf(1) === before}`);
    snapshot.release();
  };
  expect(await commit(begin(store))).toBe('committed');
  // The record and the memtable: ten thousand writes each, in stretches of four thousand.
  expect(turns.count).toBeGreaterThanOrEqual(4);
  expect([...seen]).toEqual(['1 1 true']);
  expect(await take(store.snapshot().scan(range(''), 'forward'))).toHaveLength(count);
  expect(store.changeOf(1)).not.toBe(before);
});

test('large values count: not by their number alone', async () => {
  const turns = new Turns();
  const store = await open(turns);
  const transaction = store.begin();
  for (let i = 0; i < 40; i++) transaction.put(bytes(key(i)), new Uint8Array(1 << 20));
  expect(await commit(transaction)).toBe('committed');
  expect(turns.count).toBeGreaterThanOrEqual(8);
});

test('another commit waits for its end and comes after it', async () => {
  const turns = new Turns();
  const store = await open(turns);
  const order: string[] = [];
  const applied = (name: string) => ({
    applied: (at: number): void => void order.push(`${name} ${at}`),
  });
  let waiting: Promise<unknown> | undefined;
  turns.each = () => {
    waiting ??= begin(store, 0, 1).commit(applied('short'));
  };
  await begin(store).commit(applied('long'));
  await waiting;
  expect(order).toEqual(['long 1', 'short 2']);
});

for (const isAlone of [true, false]) {
  const others = isAlone ? 'alone' : 'beside an older transaction';
  test(`what begins during a long commit, ${others}, loses if it reads what that writes, else it commits`, async () => {
    const turns = new Turns();
    const store = await open(turns);
    const older = isAlone ? undefined : store.begin();
    const losing: Transaction[] = [];
    const winning: Transaction[] = [];
    const long = begin(store);
    turns.each = async (turn) => {
      // In the first turns the log does not have the record yet: alone is only a commit that begins to be applied without another one.
      if (isAlone && turn <= 2) return;
      for (const [list, seen] of [
        [losing, key(7)],
        [winning, 'what nobody writes'],
      ] as const) {
        const transaction = store.begin();
        expect(await read(transaction, seen)).toBeUndefined();
        transaction.put(bytes(`other ${turn}`), bytes('1'));
        list.push(transaction);
      }
    };
    await commit(long);
    turns.each = () => {};
    for (const transaction of losing) expect(await commit(transaction)).toBe('conflict');
    for (const transaction of winning) expect(await commit(transaction)).toBe('committed');
    expect(losing.length).toBeGreaterThanOrEqual(2);
    older?.release();
  });
}

test('an exclusive turn begins after the long commit under way, and reads it', async () => {
  const turns = new Turns();
  const store = await open(turns);
  const alone = async (): Promise<string> => {
    const transaction = store.begin();
    expect(await read(transaction, key(7))).toBe('new');
    transaction.put(bytes('other'), bytes('1'));
    return commit(transaction);
  };
  let exclusive: Promise<string> | undefined;
  turns.each = () => {
    exclusive ??= store.exclusive(alone);
  };
  await commit(begin(store));
  expect(await exclusive).toBe('committed');
});

test('a large read set is validated in stretches', async () => {
  const turns = new Turns();
  const store = await open(turns);
  const transaction = store.begin();
  for (let i = 0; i < 9000; i++) await read(transaction, key(i * 2));
  transaction.put(bytes('other'), bytes('1'));
  await commit(begin(store, 1, 2));
  turns.count = 0;
  expect(await commit(transaction)).toBe('committed');
  expect(turns.count).toBeGreaterThanOrEqual(2);
});

test.each([
  [1, 'refused'],
  [3, 'committed'],
])('a store that closes in turn %d of it: %s', async (when, what) => {
  const turns = new Turns();
  const path = join(directory, `closing-${when}`);
  const store = await open(turns, { storage: 'file', path });
  let closing: Promise<void> | undefined;
  turns.each = (turn) => {
    if (turn === when) closing = store.close();
  };
  expect(await commit(begin(store)).catch(() => 'refused')).toBe(what);
  await closing;
  const again = await open(new Turns(), { storage: 'file', path });
  const entries = await take(again.snapshot().scan(range(''), 'forward'));
  expect(entries).toHaveLength(what === 'committed' ? count : 0);
  await again.close();
});

test('a memtable is not cut in the middle of a commit: all of it is there after a flush and a crash', async () => {
  const turns = new Turns();
  const options: Partial<StoreOptions> = { storage: 'file', path: join(directory, 'cut') };
  const store = await open(turns, options);
  await commit(begin(store, 0, 1));
  let flushing: Promise<void> | undefined;
  turns.each = (turn) => {
    if (turn === 4) flushing = store.tidy();
  };
  expect(await commit(begin(store))).toBe('committed');
  await flushing;
  await store.close();
  const again = await open(new Turns(), options);
  expect(await take(again.snapshot().scan(range(''), 'forward'))).toHaveLength(count);
  await again.close();
});
