/** Requests that arrive together share a few milliseconds of each turn. */

import { expect, test } from 'bun:test';
import type { Clock, Scheduler } from '#base';
import { TurnShare } from '../../../src/http/edge/turn-share.ts';

/** After all that is ready has run. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Requests of 2 ms each; turns end when the test says so. */
function open() {
  let now = 0;
  let ending: (() => void)[] = [];
  const clock = { monotonicMs: () => now } as Clock;
  const scheduler = {
    yield: () => new Promise<void>((resolve) => void ending.push(resolve)),
  } as Scheduler;
  const share = new TurnShare(clock, scheduler);
  const served: number[] = [];
  const request = async (number: number) => {
    const turn = share.enter();
    if (turn !== undefined) await turn;
    served.push(number);
    now += 2;
  };
  const turn = async () => {
    const due = ending;
    ending = [];
    for (const resolve of due) resolve();
    await settled();
  };
  return { request, turn, served, pending: () => ending.length };
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
