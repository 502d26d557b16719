/** Who works in which turn: classes, slices, and what is left to points. */

import { describe, expect, test } from 'bun:test';
import type { Admission } from '../../../src/engine/admission/admission.ts';
import { admissionIn, type Client, enter, settled, turningWorld } from './support.ts';

function setting(concurrency = 8) {
  const world = turningWorld();
  const admission = admissionIn(world, { concurrency, queueMax: 64 });
  /** Slices in the order in which they were had. */
  const slices: { readonly name: string; readonly atMs: number; readonly ms: number }[] = [];
  /** Computes for as long as the budget lets it, up to `totalMs`. */
  const compute = async ({ requestContext }: Client, name: string, totalMs: number) => {
    const { budget } = requestContext;
    for (let done = 0; done < totalMs; done++) {
      const wait = budget.pause(1024);
      if (wait !== undefined) await wait;
      slices.push({ name, atMs: world.clock.monotonicMs(), ms: 1 });
      world.spend(1);
    }
    requestContext.close();
  };
  const run = (name: string, totalMs: number): Client => {
    const client = enter(admission, name);
    const start = () => void compute(client, name, totalMs).catch(() => {});
    if (client.isIn) start();
    else client.whenIn = start;
    return client;
  };
  return { world, admission, slices, run };
}

function point(admission: Admission): void {
  const requestContext = admission.requestContext();
  requestContext.enter(true);
  requestContext.close();
}

test('one slice a turn, however many queries there are', async () => {
  const { world, slices, run } = setting(32);
  for (const name of ['a', 'b', 'c', 'd']) run(name, 40);
  await settled();
  for (let turn = 0; turn < 20; turn++) {
    const before = slices.length;
    await world.turn();
    expect(slices.length - before).toBeLessThanOrEqual(6);
  }
  expect(new Set(slices.slice(0, 40).map(({ name }) => name)).size).toBe(4);
});

test('a query is heavy after 250 ms of its own; at most a quarter of the slots is for such, the others wait', async () => {
  const { world, admission, run } = setting();
  const clients = ['a', 'b', 'c', 'd'].map((name) => run(name, 10_000));
  for (let turn = 0; turn < 400; turn++) await world.turn();
  expect(clients.map(({ requestContext }) => requestContext.class)).toEqual(Array(4).fill('heavy'));
  const { heavy, queuedHeavy } = admission.statistics();
  expect([heavy, queuedHeavy]).toEqual([4, 2]);
  // The slots of queries are free again.
  expect(Array.from({ length: 4 }, () => enter(admission, 'e').isIn)).not.toContain(undefined);
  expect(admission.statistics().queued).toBe(0);
});

test('250 ms of its own make a query heavy, and not a moment less', async () => {
  const { world, admission } = setting();
  const classAfter = async (ms: number) => {
    const { requestContext } = enter(admission, 'a');
    world.spend(ms);
    const goesOn = requestContext.budget.pause(1024) as Promise<void>;
    const known = requestContext.class;
    for (let turn = 0; turn < 20; turn++) await world.turn();
    await goesOn;
    requestContext.close();
    return known;
  };
  expect(await classAfter(249)).toBe('query');
  expect(await classAfter(250)).toBe('heavy');
});

test('heavy programs of another client that has used less get their turn', async () => {
  const { world, slices, run } = setting();
  run('a', 10_000);
  run('a', 10_000);
  for (let turn = 0; turn < 300; turn++) await world.turn();
  run('b', 10_000);
  const from = slices.length;
  for (let turn = 0; turn < 600; turn++) await world.turn();
  const had = slices.slice(from).filter(({ name }) => name === 'b').length;
  expect(had).toBeGreaterThan((slices.length - from) / 4);
});

test('heavy programs take turns in the order in which they wait', async () => {
  const { world, slices, run } = setting(32);
  for (const name of ['a', 'b', 'c']) run(name, 10_000);
  for (let turn = 0; turn < 600; turn++) await world.turn();
  const from = slices.length;
  for (let turn = 0; turn < 200; turn++) await world.turn();
  const order = slices
    .slice(from)
    .flatMap(({ name }, i, all) => (all[i - 1]?.name === name ? [] : [name]));
  expect(order.length).toBeGreaterThan(10);
  for (const [i, name] of order.slice(3).entries()) expect(name).toBe(order[i] as string);
});

test('heavy work has a slice every 25 ms, also beside a stream of queries', async () => {
  const { world, slices, run } = setting();
  run('heavy', 10_000);
  for (let turn = 0; turn < 100; turn++) await world.turn();
  const from = slices.length;
  for (let turn = 0; turn < 400; turn++) {
    if (turn % 3 === 0) run(`q${turn}`, 9);
    await world.turn();
  }
  const times = slices.slice(from).flatMap(({ name, atMs }) => (name === 'heavy' ? [atMs] : []));
  const gaps = times.slice(1).map((time, i) => time - (times[i] as number));
  expect(times.length).toBeGreaterThan(20);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(25 + 10);
});

test('beside active points heavy slices are short, and points have more of the time', async () => {
  const { world, admission, slices, run } = setting();
  run('heavy', 10_000);
  for (let turn = 0; turn < 100; turn++) await world.turn();
  const from = slices.length;
  let forPoints = 0;
  for (let turn = 0; turn < 1000; turn++) {
    point(admission);
    world.spend(0.5);
    forPoints += 0.5;
    await world.turn();
  }
  const forHeavy = slices.length - from;
  expect(forHeavy).toBeGreaterThan(forPoints * 0.3);
  expect(forHeavy).toBeLessThan(forPoints * 0.8);
});

describe('points', () => {
  test('need no slot, and are counted', () => {
    const { admission } = setting();
    for (let i = 0; i < 100; i++) {
      const requestContext = admission.requestContext();
      expect(requestContext.enter(true)).toBeUndefined();
      expect(requestContext.holds).toBeUndefined();
    }
    expect(admission.statistics().point).toBe(100);
  });

  test('one that does not end in one go becomes a query, with a slot', async () => {
    const { world, admission } = setting();
    const requestContext = admission.requestContext();
    requestContext.enter(true);
    world.spend(6);
    const wait = requestContext.budget.pause(1024);
    expect(wait).toBeInstanceOf(Promise);
    for (let turn = 0; turn < 3; turn++) await world.turn();
    await wait;
    expect([requestContext.class, requestContext.holds]).toEqual(['query', 'slot']);
    requestContext.close();
    expect(requestContext.holds).toBeUndefined();
  });
});

test('when all is to end, what waits ends, and what would wait later', async () => {
  const { world, admission, run } = setting();
  const working = run('a', 10_000);
  const waiting = Array.from({ length: 8 }, () => run('a', 10_000));
  for (let turn = 0; turn < 5; turn++) await world.turn();
  admission.endAll(new Error('stop'));
  expect(working.requestContext.budget.ended?.message).toBe('stop');
  await settled();
  for (const { requestContext } of waiting)
    expect(requestContext.budget.ended?.message).toBe('stop');
  const late = enter(admission, 'b');
  await settled();
  expect(late.failure ?? late.requestContext.budget.ended?.message).toMatch(/stop|Error/);
});
