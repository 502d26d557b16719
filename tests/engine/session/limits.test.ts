/** How open transactions end without a call of their client, and how many there may be. */

import { afterEach, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { programLimits } from '#pir';
import { type ManualWorld, manualWorld } from '../../support/manual-world.ts';
import { outcomeOf, rejection } from '../../support/outcome.ts';
import { all, execute, openSetting, put, requestOf, rows, run, type Setting } from './support.ts';

let world: ManualWorld;
let setting: Setting;
let engine: Engine;

async function open(openTransactions = {}): Promise<void> {
  world = manualWorld();
  setting = await openSetting({ openTransactions, worksOnTransitions: false }, world);
  engine = setting.engine;
}

afterEach(() => engine.close());

function expectNothingHeld(): void {
  expect(engine.openTransactions()).toEqual({ open: 0, ageMs: 0 });
  expect(engine.admissionStatistics()).toMatchObject({ poolUsedBytes: 0, running: 0 });
  expect(engine.storeStatistics().views).toBe(0);
}

/** A program that is there once `go` is called, and when somebody waits for it. */
function held(...statements: unknown[]) {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const { program } = requestOf(...statements);
  const request = {
    program: async () => {
      asked.resolve();
      await go.promise;
      return program();
    },
  };
  return { request, asked: asked.promise, go: go.resolve };
}

test('one that waits for its client longer than it may is rolled back', async () => {
  await open({ idleMs: 1_000 });
  const one = engine.begin();
  await run(one, put(1, 10));
  world.advance(999);
  await run(one, put(2, 20));
  world.advance(999);
  expect(engine.openTransactions()).toEqual({ open: 1, ageMs: 1_998 });
  world.advance(1);
  expect(await one.ended).toBe('idle');
  expectNothingHeld();
  const late = expect.objectContaining({
    failure: expect.objectContaining({ reason: 'deadline_exceeded' }),
  });
  expect(await rejection(run(one, all()))).toEqual(late);
  expect(await rejection(one.commit())).toEqual(late);
  one.rollback();
  expect(await one.ended).toBe('idle');
  expect(await rows(engine)).toEqual([]);
});

test('a statement that runs is not idle, and one that has failed is', async () => {
  await open({ idleMs: 1_000 });
  const one = engine.begin();
  const { request, asked, go } = held(put(1, 10));
  const running = one.run(request);
  await asked;
  world.advance(5_000);
  go();
  await running;
  world.advance(999);
  await rejection(run(one, put(1, 10)));
  world.advance(999);
  expect(engine.openTransactions().open).toBe(1);
  world.advance(1);
  expect(await one.ended).toBe('idle');
  expectNothingHeld();
});

test('one that is open for too long ends between its statements and within one', async () => {
  await open({ idleMs: 0, wholeMs: 10_000 });
  const [one, two] = [engine.begin(), engine.begin()];
  await run(one, put(1, 10));
  const { request, asked, go } = held(put(2, 20));
  const running = rejection(two.run(request));
  await asked;
  world.advance(10_000);
  expect(await one.ended).toBe('expired');
  go();
  expect(await running).toEqual(
    expect.objectContaining({ failure: expect.objectContaining({ reason: 'deadline_exceeded' }) }),
  );
  expect(await two.ended).toBe('expired');
  expectNothingHeld();
  expect(await rows(engine)).toEqual([]);
});

test('a client that goes leaves nothing behind, whether a statement runs or not', async () => {
  await open();
  const [first, second, third] = [
    new AbortController(),
    new AbortController(),
    new AbortController(),
  ];
  const one = engine.begin({ signal: first.signal });
  await run(one, put(1, 10));
  first.abort();
  expect(await one.ended).toBe('abandoned');
  const two = engine.begin({ signal: second.signal });
  const { request, asked, go } = held(put(2, 20));
  const running = rejection(two.run(request));
  await asked;
  second.abort();
  go();
  expect((await running) as Error).toMatchObject({ name: 'ClientGone' });
  expect(await two.ended).toBe('abandoned');
  third.abort();
  expect(await engine.begin({ signal: third.signal }).ended).toBe('abandoned');
  expectNothingHeld();
  expect(await rows(engine)).toEqual([]);
});

test('a rollback ends a statement that runs', async () => {
  await open();
  const one = engine.begin();
  await run(one, put(1, 10));
  const { request, asked, go } = held(put(2, 20));
  const running = rejection(one.run(request));
  await asked;
  expect(await outcomeOf(run(one, all()))).toThrow('a transaction does one call at a time');
  one.rollback();
  go();
  await running;
  expect(await one.ended).toBe('rolled_back');
  expectNothingHeld();
});

test('a statement has a deadline of its own, after which the transaction goes on from a mark', async () => {
  await open();
  const one = engine.begin();
  await run(one, put(1, 10));
  const mark = one.mark();
  const { request, asked, go } = held(put(2, 20));
  const running = rejection(one.run(request, { deadlineMs: 50 }));
  await asked;
  world.advance(51);
  go();
  expect(await running).toEqual(
    expect.objectContaining({ failure: expect.objectContaining({ reason: 'deadline_exceeded' }) }),
  );
  await one.undo(mark);
  expect(await one.commit()).toBe('committed');
  expect(await rows(engine)).toEqual([[1, 10]]);
});

test('more than may be open are refused, until one ends', async () => {
  await open({ openMax: 2 });
  const [one] = [engine.begin(), engine.begin()];
  expect(() => engine.begin()).toThrow('2 transactions are already open; try again later');
  one.rollback();
  engine.begin();
  expect(engine.openTransactions().open).toBe(2);
});

test('without a slot between statements: any number may be open beside those that run', async () => {
  await open();
  const many = Array.from({ length: 20 }, () => engine.begin());
  for (const [i, one] of many.entries()) await run(one, put(i, i), all());
  expect(engine.admissionStatistics().running).toBe(0);
  const ends = await Promise.all(many.map((one) => one.commit()));
  // Each has read all rows.
  expect(ends.filter((end) => end === 'committed')).toEqual(['committed']);
});

test('an engine that closes rolls them back, those that run as well, and begins none', async () => {
  await open();
  const [one, two] = [engine.begin(), engine.begin()];
  await run(one, put(1, 10));
  const { request, asked, go } = held(put(2, 20));
  const running = rejection(two.run(request));
  await asked;
  const closed = engine.close();
  expect(await one.ended).toBe('stopped');
  go();
  await closed;
  const closes = expect.objectContaining({
    failure: expect.objectContaining({ reason: 'storage_unavailable' }),
  });
  expect(await running).toEqual(closes);
  expect(await two.ended).toBe('stopped');
  expect(await rejection(one.commit())).toEqual(closes);
  expect(() => engine.begin()).toThrow('the database closes');
  expect(engine.openTransactions().open).toBe(0);
});

test('one has a bounded number of marks, and goes on when some are released', async () => {
  await open({ marksMax: 2 });
  const one = engine.begin();
  one.mark();
  await run(one, put(1, 10));
  const second = one.mark();
  expect(() => one.mark()).toThrow('a transaction has at most 2 marks; release some');
  one.release(second);
  expect(one.mark()).toBe(second);
  expect(await one.commit()).toBe('committed');
  expect(await rows(engine)).toEqual([[1, 10]]);
});

test('programs that change the catalog have a bounded number of statements together', async () => {
  await open();
  const one = engine.begin();
  const rename = (to: string) => ({ kind: 'rename_table', name: 'renamed', table_id: 1, to });
  const { statementsMax } = programLimits;
  const queries = Array.from({ length: statementsMax - 2 }, (_, i) => {
    return { ...(all('other') as object), name: `q${i}` };
  });
  const large = requestOf(rename('other'), ...queries);
  await one.run(large);
  expect(await outcomeOf(one.run(requestOf(rename('a'), all('a'))))).toThrow(
    `at most ${statementsMax} statements together, and this program would make it ${statementsMax + 1}; commit before it`,
  );
  one.rollback();
  const two = engine.begin();
  await two.run(large);
  await two.run(requestOf(rename('register')));
  // What leaves the catalog as it is has no bound.
  await run(two, all());
  expect(await two.commit()).toBe('committed');
});

test('a process that may not write any more commits none', async () => {
  await open();
  const one = engine.begin();
  await run(one, put(1, 10));
  engine.endWrites();
  expect(await outcomeOf(one.commit())).toThrow('nothing was written');
  expect(await one.ended).toBe('failed');
  expectNothingHeld();
  const two = engine.begin();
  expect(await outcomeOf(run(two, all()))).toThrow('nothing was written');
  two.rollback();
});

test('how they end is counted with the attempts of programs', async () => {
  await open();
  const { transactions } = engine.meters;
  const counts = () => Object.values(transactions).map((one) => one.count);
  await execute(engine, put(1, 10));
  const before = counts();
  const [one, two, three] = [engine.begin(), engine.begin(), engine.begin({ isReadOnly: true })];
  await run(one, put(2, 20));
  await one.commit();
  two.rollback();
  await three.commit();
  const gone = new AbortController();
  const four = engine.begin({ signal: gone.signal });
  gone.abort();
  await four.ended;
  expect(counts().map((count, i) => count - (before[i] as number))).toEqual([1, 1, 1]);
});
