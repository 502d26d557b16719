/** Requests that arrive together share a few milliseconds of each turn. */

import { expect, test } from 'bun:test';
import type { Clock, Scheduler, World } from '#base';
import { Budget } from '#executor';
import { TurnShare } from '../../../src/http/edge/turn-share.ts';

/** Ends when the test says so. */
function testBudget() {
  const world = { clock: { monotonicMs: () => 0 }, scheduler: {} } as World;
  return new Budget(world, { timeoutMs: 0 });
}

/** After all that is ready has run. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Requests of 2 ms each, after some continuations; turns end when the test says so. */
function open(hops = 0) {
  let now = 0;
  let ending: (() => void)[] = [];
  const clock = { monotonicMs: () => now } as Clock;
  const scheduler = {
    yield: () => new Promise<void>((resolve) => void ending.push(resolve)),
  } as Scheduler;
  const waiting: number[] = [];
  const share = new TurnShare(clock, scheduler, (count) => void waiting.push(count));
  const served: number[] = [];
  const request = async (number: number, budget = testBudget()) => {
    const turn = share.enter(budget);
    if (turn !== undefined) await turn;
    for (let hop = 0; hop < hops; hop++) await undefined;
    served.push(number);
    now += 2;
  };
  const turn = async () => {
    const due = ending;
    ending = [];
    for (const resolve of due) resolve();
    await settled();
  };
  return { request, turn, served, waiting, pending: () => ending.length };
}

test('what a turn has no room for goes on in the next ones, in order', async () => {
  const { request, turn, served } = open();
  for (let i = 0; i < 8; i++) void request(i);
  await settled();
  expect(served).toEqual([0, 1, 2]);
  void request(8);
  await turn();
  expect(served).toEqual([0, 1, 2, 3, 4, 5]);
  await turn();
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test('one that comes when nobody waits begins at once, and no turn is asked for without need', async () => {
  const { request, turn, served, pending } = open();
  void request(0);
  expect(served).toEqual([0]);
  await turn();
  expect(pending()).toBe(0);
  for (let i = 1; i < 4; i++) void request(i);
  expect(served).toEqual([0, 1, 2, 3]);
  await turn();
  expect(pending()).toBe(0);
});

test('work that begins some continuations after it was let in counts before the next one is', async () => {
  const { request, turn, served } = open(3);
  for (let i = 0; i < 12; i++) void request(i);
  await settled();
  // The clock stood still while they came: all were let in before the first one worked.
  expect(served.length).toBe(12);
  for (let i = 12; i < 24; i++) void request(i);
  await settled();
  expect(served.length).toBe(12);
  await turn();
  expect(served.length).toBe(15);
});

test('whoever has gone gives the place up at once, and how many wait is told', async () => {
  const { request, turn, served, waiting } = open();
  const budgets = Array.from({ length: 9 }, testBudget);
  const requests = budgets.map((budget, i) => request(i, budget).catch(() => 'gone'));
  await settled();
  expect([served, waiting]).toEqual([
    [0, 1, 2],
    [1, 2, 3, 4, 5, 6],
  ]);
  for (const i of [3, 4, 5]) budgets[i]?.end(new Error('the client has gone'));
  expect(waiting.at(-1)).toBe(3);
  expect(await Promise.all(requests.slice(3, 6))).toEqual(['gone', 'gone', 'gone']);
  await turn();
  expect(served).toEqual([0, 1, 2, 6, 7, 8]);
  expect(waiting.at(-1)).toBe(0);
});
