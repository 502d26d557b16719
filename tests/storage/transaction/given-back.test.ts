/** A transaction gives back what it holds, however it ends: its place among those that may still be validated, and its scans. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import type { EntryCursor, Transaction } from '#storage';
import type { Log } from '../../../src/storage/log/log.ts';
import { CommitQueue } from '../../../src/storage/transaction/commit-queue.ts';
import { StoreTransaction } from '../../../src/storage/transaction/transaction.ts';
import { WriteHistory } from '../../../src/storage/transaction/write-history.ts';
import { LiveSequences } from '../../../src/storage/version/live-sequences.ts';
import { bytes, memoryStore, range, take, write } from './support.ts';

/** A lane over a log that takes everything, with room for records of 1 MiB. */
function laneOf(append: () => number = () => 1) {
  const world = systemWorld();
  const candidates = new LiveSequences();
  const parts = {
    log: { append, durable: () => undefined } as unknown as Log,
    clock: world.clock,
    scheduler: world.scheduler,
    history: new WriteHistory(0),
    candidates,
    memory: { begin: () => {}, insert: () => {}, end: () => {}, install: () => {} },
    acknowledgesEarly: false,
    recordBytesMax: 1 << 20,
  };
  return { commitQueue: new CommitQueue(parts, 0), candidates };
}

/** A view of nothing, whose scans and end are told. */
function viewOf(steps: string[] = []) {
  return {
    sequence: 0,
    get: () => undefined,
    find: () => undefined,
    findAll: () => undefined,
    scan: () => ({ next: () => false, close: () => steps.push('scan') }) as unknown as EntryCursor,
    until: (wait: Promise<void>) => wait,
    overlay: () => {},
    release: () => steps.push('view'),
  };
}

const refuse = (): never => {
  throw new Error('the log fails');
};

function put(transaction: Transaction, count = 1, value = bytes('1')): Transaction {
  for (let i = 0; i < count; i++) transaction.put(bytes(`key ${i}`), value);
  return transaction;
}

interface End {
  readonly name: string;
  readonly end: (transaction: Transaction) => unknown;
  readonly append?: () => number;
}

const ends: readonly End[] = [
  { name: 'a commit without writes', end: (it) => it.commit() },
  { name: 'a small commit', end: (it) => put(it).commit() },
  { name: 'a commit of many writes', end: (it) => put(it, 2_000).commit() },
  { name: 'a refusal by the owner', end: (it) => put(it).commit({ validate: () => false }) },
  { name: 'a commit that is too large', end: (it) => put(it, 1, new Uint8Array(2 << 20)).commit() },
  { name: 'a failure of the log', end: (it) => put(it).commit(), append: refuse },
  { name: 'a release without a commit', end: () => {} },
];

for (const { name, end, append } of ends) {
  test(`${name} gives the place back, once`, async () => {
    const { commitQueue, candidates } = laneOf(append);
    const other = candidates.add(0);
    const transaction = new StoreTransaction({ view: viewOf(), commitQueue, candidates });
    expect(candidates.count).toBe(2);
    await Promise.resolve(end(transaction)).catch(() => {});
    transaction.release();
    transaction.release();
    expect(candidates.count).toBe(1);
    candidates.remove(other);
    expect(candidates.oldest).toBeUndefined();
  });
}

test('open scans are closed at the release, before the view', () => {
  const { commitQueue, candidates } = laneOf();
  const steps: string[] = [];
  const transaction = new StoreTransaction({ view: viewOf(steps), commitQueue, candidates });
  const [open, closed] = [0, 1].map(() => transaction.scan(range(''), 'forward'));
  closed?.close();
  expect(steps).toEqual(['scan']);
  transaction.release();
  expect(steps).toEqual(['scan', 'scan', 'view']);
  open?.close();
  expect(steps).toHaveLength(3);
});

test('a scan shows nothing once its transaction is released', async () => {
  const store = await memoryStore();
  await write(store, { a: '1', b: '2' });
  const transaction = store.begin();
  const cursor = transaction.scan(range(''), 'forward');
  expect(await take(cursor, 1)).toEqual(['a=1']);
  transaction.release();
  expect(cursor.next()).toBe(false);
  await store.close();
});
