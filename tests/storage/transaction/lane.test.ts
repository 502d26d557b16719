/** The commit lane: what happens in one go, whose turn it is, and what a failing log does. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { DatabaseError } from '#failure';
import type { Log } from '../../../src/storage/log/log.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { LaneParts } from '../../../src/storage/transaction/commit-queue.ts';
import { CommitQueue } from '../../../src/storage/transaction/commit-queue.ts';
import { StoreTransaction } from '../../../src/storage/transaction/transaction.ts';
import { WriteHistory } from '../../../src/storage/transaction/write-history.ts';
import { LiveSequences } from '../../../src/storage/version/live-sequences.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { bytes, memoryStore, read, write } from './support.ts';

const failure = new StorageError({ kind: 'io', operation: 'write', object: 'log' });

/** A log whose syncs are answered by hand. */
class HandLog {
  last = 0;
  poisoned: StorageError | undefined;
  private readonly waiting = Promise.withResolvers<void>();

  append(): number {
    if (this.poisoned !== undefined) throw this.poisoned;
    return ++this.last;
  }

  durable(): Promise<void> {
    return this.waiting.promise;
  }

  fail(): void {
    this.poisoned = failure;
    this.waiting.reject(failure);
  }

  sync(): void {
    this.waiting.resolve();
  }
}

const world = systemWorld();

function commitQueue(log: HandLog, apply: () => void = () => {}, more: Partial<LaneParts> = {}) {
  const candidates = new LiveSequences();
  const history = new WriteHistory(0);
  const parts = {
    log: log as unknown as Log,
    clock: world.clock,
    scheduler: world.scheduler,
    history,
    candidates,
    memory: { begin: () => {}, insert: () => {}, end: apply, install: () => {} },
    acknowledgesEarly: false,
    ...more,
  };
  const it = new CommitQueue(parts, 0);
  const begin = () => {
    const nothing = { next: () => false, close: () => {} } as never;
    const view = {
      sequence: it.applied,
      get: () => undefined,
      find: () => undefined,
      findAll: () => undefined,
      scan: () => nothing,
      until: (wait: Promise<void>) => wait,
      overlay: () => {},
      release: () => {},
    };
    const transaction = new StoreTransaction({ view, commitQueue: it, candidates });
    transaction.put(bytes('a'), bytes('1'));
    return transaction;
  };
  return { it, begin, history };
}

test('validation, sequence, memtable and owner in one go; the answer waits for the log', async () => {
  const log = new HandLog();
  const steps: string[] = [];
  const { it, begin } = commitQueue(log, () => steps.push('memtable'));
  const committing = begin().commit({
    validate: () => steps.push('validate') > 0,
    applied: (sequence) => steps.push(`applied ${sequence}`),
  });
  expect(steps).toEqual(['validate', 'memtable', 'applied 1']);
  expect(it.applied).toBe(1);
  let isAnswered = false;
  void committing.then(() => {
    isAnswered = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  log.sync();
  expect(await committing).toEqual({ kind: 'committed', sequence: 1 });
});

test('an owner that refuses makes it a conflict, and nothing happened', async () => {
  const log = new HandLog();
  const { it, begin } = commitQueue(log, () => expect.unreachable());
  expect(await begin().commit({ validate: () => false })).toEqual({
    kind: 'conflict',
    key: undefined,
  });
  expect([log.last, it.applied]).toEqual([0, 0]);
});

test('who began before the history was complete has lost, who began with it has not', async () => {
  const log = new HandLog();
  log.sync();
  const { begin, history } = commitQueue(log);
  const reader = () => {
    const transaction = begin();
    transaction.get(bytes('unchanged'));
    return transaction;
  };
  const early = reader();
  await begin().commit();
  const late = reader();
  await begin().commit();
  history.floor = 1;
  expect(await early.commit()).toEqual({ kind: 'conflict', key: undefined });
  expect((await late.commit()).kind).toBe('committed');
});

test('a failing log leaves those in flight unknown and refuses everybody after', async () => {
  const log = new HandLog();
  const { begin } = commitQueue(log);
  const inFlight = begin().commit();
  log.fail();
  expect(await inFlight).toEqual({ kind: 'unknown', cause: failure });
  const refused = await begin()
    .commit()
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DatabaseError);
  expect((refused as DatabaseError).failure.reason).toBe('storage_unavailable');
});

test('a memtable that throws poisons: the log knows more than the memory', async () => {
  const { begin } = commitQueue(new HandLog(), () => {
    throw new Error('out of memory');
  });
  expect((await begin().commit()).kind).toBe('unknown');
  expect(await outcomeOf(begin().commit())).toThrow('out of memory');
});

test('exclusive work commits while others wait, and then they go on', async () => {
  const store = await memoryStore();
  await write(store, { a: '0' });
  const steps: string[] = [];
  const add = async (name: string) => {
    const transaction = store.begin();
    const before = await read(transaction, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    transaction.put(bytes('a'), bytes(`${before}${name}`));
    const { kind } = await transaction.commit();
    transaction.release();
    steps.push(`${name} ${kind}`);
  };
  const outsider = store.begin();
  outsider.put(bytes('b'), bytes('outside'));
  const exclusive = store.exclusive(async () => {
    const outside = outsider.commit().then(({ kind }) => steps.push(`outside ${kind}`));
    void outside;
    await add('x');
    await store.exclusive(() => add('y'));
  });
  await exclusive;
  await store.exclusive(() => add('z'));
  expect(steps).toEqual(['x committed', 'y committed', 'outside committed', 'z committed']);
  expect(await read(store.snapshot(), 'a')).toBe('0xyz');
});

test('a failing piece of exclusive work gives the lane back', async () => {
  const store = await memoryStore();
  expect(await outcomeOf(store.exclusive(() => Promise.reject(new Error('no'))))).toThrow('no');
  await write(store, { a: '1' });
  expect(await store.exclusive(async () => 7)).toBe(7);
});

test('of many increments at once none is lost', async () => {
  const store = await memoryStore();
  await write(store, { counter: '0' });
  let conflicts = 0;
  const once = async (): Promise<boolean> => {
    const transaction = store.begin();
    try {
      const before = Number(await read(transaction, 'counter'));
      await new Promise((resolve) => setImmediate(resolve));
      transaction.put(bytes('counter'), bytes(`${before + 1}`));
      return (await transaction.commit()).kind === 'committed';
    } finally {
      transaction.release();
    }
  };
  const increment = async (): Promise<void> => {
    for (let attempt = 0; attempt < 2; attempt++) {
      if (await once()) return;
      conflicts++;
    }
    expect(await store.exclusive(once)).toBe(true);
  };
  await Promise.all(Array.from({ length: 40 }, increment));
  expect(await read(store.snapshot(), 'counter')).toBe('40');
  expect(conflicts).toBeGreaterThan(0);
});

test('more than one record of the log holds is refused before anything is written, and nobody else is concerned', async () => {
  const log = new HandLog();
  const { it, begin } = commitQueue(log, () => {}, { recordBytesMax: 3 << 20 });
  const large = begin();
  large.put(bytes('b'), new Uint8Array(3 << 20));
  const refusal = await large.commit().catch((error: unknown) => error);
  expect((refusal as DatabaseError).failure).toMatchObject({
    reason: 'memory_limit',
    detail:
      'the program writes 4 MiB, but one transaction may write at most 3 MiB; split the program into several',
  });
  large.release();
  expect([log.last, it.poisoned]).toEqual([0, undefined]);
  log.sync();
  const small = begin();
  expect(await small.commit()).toEqual({ kind: 'committed', sequence: 1 });
  small.release();
});
