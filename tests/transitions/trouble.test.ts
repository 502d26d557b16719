/** A worker whose steps fail: it tries again later and later, tells why, gives up, and starts anew when there is a reason to. */

import { expect, test } from 'bun:test';
import { failuresMax, type JobTurn, type TransitionHost, TransitionWorker } from '#transitions';
import { Attempts } from '../../src/transitions/attempts.ts';
import { openReclamations } from '../../src/transitions/reclaim.ts';
import { manualWorld } from '../support/manual-world.ts';
import { buildIndex, createTable, mutation, openWorkshop } from './support.ts';

test('a job is due later and later, and after eight failures no more until it is released', () => {
  const world = manualWorld();
  const attempts = new Attempts(world.clock);
  const delays: number[] = [];
  for (let failures = 1; failures < failuresMax; failures++) {
    attempts.failed('a');
    expect(attempts.isDue('a')).toBe(false);
    expect(attempts.isDue('b')).toBe(true);
    const delay = attempts.nextInMs(10_000) as number;
    delays.push(delay);
    world.advance(delay);
    expect(attempts.isDue('a')).toBe(true);
  }
  expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320]);
  attempts.failed('b');
  expect([attempts.nextInMs(1000), attempts.givenUp]).toEqual([0, 0]);
  attempts.failed('a');
  expect([attempts.nextInMs(1000), attempts.givenUp]).toEqual([5, 1]);
  attempts.succeeded('b');
  world.advance(100_000);
  expect(attempts.isDue('a')).toBe(false);
  expect(attempts.nextInMs(1000)).toBe(1000);
  // One that fails now is due soon, whatever was given up.
  attempts.failed('c');
  expect(attempts.nextInMs(1000)).toBe(5);
  attempts.release();
  expect([attempts.isDue('c'), attempts.givenUp]).toEqual([false, 0]);
  attempts.succeeded('c');
  expect(attempts.isDue('a')).toBe(true);
  expect(attempts.nextInMs(1000)).toBeUndefined();
});

test('what keeps failing is told, left alone, and goes on when the trouble is over', async () => {
  await using db = await openWorkshop();
  await db.run(createTable('t', ['id int64', 'v int64']));
  await db.run(mutation('create', 't', ['id int64', 'v int64'], ['1', '1'], ['2', '2']));
  const id = await db.start(buildIndex('i', ['v']));
  const database = db.engine['database'];
  const world = manualWorld();
  let isBroken = true;
  let tries = 0;
  // Steps read rows by a scan of their transaction; what is noted of the trouble does not.
  const begin: TransitionHost['store']['begin'] = () => {
    const transaction = database.store.begin();
    const scan: typeof transaction.scan = (range, direction) => {
      if (!isBroken) return transaction.scan(range, direction);
      tries++;
      throw new Error('the disk is on fire');
    };
    return new Proxy(transaction, {
      get: (target, name) => {
        if (name === 'scan') return scan;
        const member = Reflect.get(target, name, target) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  const host: TransitionHost = {
    world,
    get catalog() {
      return database.catalog;
    },
    store: new Proxy(database.store, {
      get: (target, name) => {
        if (name === 'begin') return begin;
        const member = Reflect.get(target, name, target) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    }),
    commit: (transaction, move, isCurrent) => database.commit(transaction, move, isCurrent),
  };
  const told: string[] = [];
  const onTrouble = (job: string, error: unknown) => told.push(`${job}: ${error}`);
  const turns: JobTurn[] = [];
  const worker = new TransitionWorker(host, { onTrouble, onTurn: (turn) => turns.push(turn) });
  for (let round = 0; round < 30; round++) {
    await worker.round();
    world.advance(2000);
  }
  expect(tries).toBe(failuresMax);
  expect(told).toEqual(new Array(failuresMax).fill(`${id}: Error: the disk is on fire`));
  expect(turns.filter(({ outcome }) => outcome === 'failed').at(-1)).toMatchObject({
    job: id,
    error: new Error('the disk is on fire'),
  });
  expect(worker.quarantined).toBe(1);
  // What the cause of a foreign error may hold is for the log.
  expect(await db.get(id)).toMatchObject({
    state: 'building',
    last_error: 'internal failure: the log of the server has the cause (scheduler.job_failed)',
  });
  isBroken = false;
  await worker.round();
  expect((await db.get(id)).rows_scanned).toBe(0);
  worker.wake();
  for (let round = 0; round < 5; round++) await worker.round();
  expect(await db.get(id)).toMatchObject({ state: 'ready', rows_scanned: 2 });
  expect(worker.quarantined).toBe(0);
});

test('a store that cannot be asked what is to be reclaimed is asked again, later and later', async () => {
  await using db = await openWorkshop();
  await db.run(createTable('t', ['id int64', 'v int64']));
  await db.run(mutation('create', 't', ['id int64', 'v int64'], ['1', '1'], ['2', '2']));
  await db.run({ kind: 'delete_column', table_id: 1, column_id: 2 });
  const database = db.engine['database'];
  const world = manualWorld();
  let isBroken = true;
  let tries = 0;
  const store: TransitionHost['store'] = Object.create(database.store, {
    snapshot: {
      value: () => {
        if (!isBroken) return database.store.snapshot();
        tries++;
        throw new Error('unreadable');
      },
    },
  });
  const host: TransitionHost = {
    ...{ world, store },
    get catalog() {
      return database.catalog;
    },
    commit: (transaction, move, isCurrent) => database.commit(transaction, move, isCurrent),
  };
  const told: string[] = [];
  const worker = new TransitionWorker(host, { onTrouble: (job) => told.push(job) });
  for (let round = 0; round < 3; round++) await worker.round();
  expect(tries).toBe(1);
  world.advance(5);
  await worker.round();
  world.advance(9);
  await worker.round();
  expect([tries, worker.reclaiming]).toEqual([2, 0]);
  expect(told).toEqual(['reclamations', 'reclamations']);
  isBroken = false;
  world.advance(1);
  expect(await openReclamations(database)).toHaveLength(1);
  await worker.round();
  expect(await openReclamations(database)).toEqual([]);
  expect([worker.reclaiming, worker.quarantined, tries]).toEqual([0, 0, 2]);
});

test('the last piece of a reclamation that lost a race is done again', async () => {
  await using db = await openWorkshop();
  await db.run(createTable('t', ['id int64', 'v int64']));
  await db.run(mutation('create', 't', ['id int64', 'v int64'], ['1', '1']));
  await db.run({ kind: 'delete_column', table_id: 1, column_id: 2 });
  const database = db.engine['database'];
  let isLost = true;
  const host: TransitionHost = {
    ...{ world: database.world, store: database.store },
    get catalog() {
      return database.catalog;
    },
    commit: (transaction, move, isCurrent) =>
      database.commit(transaction, move, () => !isLost && (isCurrent?.() ?? true)),
  };
  const worker = new TransitionWorker(host);
  expect(await worker.round()).toBe(true);
  expect([worker.reclaiming, (await openReclamations(database)).length]).toEqual([1, 1]);
  isLost = false;
  await worker.round();
  expect([worker.reclaiming, (await openReclamations(database)).length]).toEqual([0, 0]);
});

test('a worker that ends by a mistake makes the process fail its liveness', async () => {
  await using db = await openWorkshop();
  const { worker } = db.engine.transitions;
  expect((await db.engine.checkStorage()).kind).toBe('ok');
  worker.round = () => Promise.reject(new Error('a mistake'));
  worker.start();
  await worker.stop();
  expect(await db.engine.checkStorage()).toMatchObject({
    kind: 'failed',
    error: new Error('a mistake'),
  });
});
