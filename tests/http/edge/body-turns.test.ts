/** Large bodies that arrive together are taken up in turns of their own. */

import { expect, test } from 'bun:test';
import type { Scheduler } from '#base';
import { BodyTurns } from '../../../src/http/edge/body-turns.ts';

const large = new Uint8Array(64 * 1024 + 1);

/** After all that is ready has run. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Turns of the event loop end when the test says so. */
function turning() {
  let waiting: (() => void)[] = [];
  const scheduler = {
    yield: () => new Promise<void>((resolve) => void waiting.push(resolve)),
  } as Scheduler;
  const turn = async () => {
    const due = waiting;
    waiting = [];
    for (const resolve of due) resolve();
    await settled();
  };
  return { scheduler, turn };
}

test('a small body waits for nothing', () => {
  expect(new BodyTurns(turning().scheduler).of(new Uint8Array(64 * 1024))).toBeUndefined();
});

test('of large ones each turn reads one, in the order in which they came', async () => {
  const { scheduler, turn } = turning();
  const turns = new BodyTurns(scheduler);
  const read: number[] = [];
  for (const number of [1, 2, 3]) void turns.of(large)?.then(() => read.push(number));
  await settled();
  expect(read).toEqual([]);
  await turn();
  expect(read).toEqual([1]);
  await turn();
  expect(read).toEqual([1, 2]);
  await turn();
  expect(read).toEqual([1, 2, 3]);
});

test('one that comes later does not wait for turns that are over', async () => {
  const { scheduler, turn } = turning();
  const turns = new BodyTurns(scheduler);
  void turns.of(large);
  await settled();
  await turn();
  let isRead = false;
  void turns.of(large)?.then(() => {
    isRead = true;
  });
  await settled();
  await turn();
  expect(isRead).toBe(true);
});
