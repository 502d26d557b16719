/** The worker takes all of an idle process, and leaves a busy one as much time as it took. */

import { expect, test } from 'bun:test';
import type { World } from '#base';
import { WorkerThrottle } from '../../src/transitions/worker-throttle.ts';

test('a long step gives way after a slice of time, whatever it does', async () => {
  let now = 1_000;
  let turns = 0;
  const yieldNow = async () => {
    turns++;
  };
  const world = {
    clock: { monotonicMs: () => now, unixMs: () => now },
    scheduler: { yield: yieldNow },
  } as unknown as World;
  const pace = new WorkerThrottle(world);
  pace.started();
  for (let i = 0; i < 100; i++) expect(pace.pause(512)).toBeUndefined();
  now += 2;
  // The clock is not asked for each row.
  for (let i = 0; i < 511; i++) expect(pace.pause()).toBeUndefined();
  await pace.pause();
  expect(turns).toBe(1);
  expect(pace.pause(512)).toBeUndefined();
});

/** How long the worker rests after a step of `stepMs`, when a turn of the event loop takes `turnMs`. */
async function restAfter(stepMs: number, turnMs: number): Promise<number> {
  let now = 1_000;
  let restedMs = 0;
  const world = {
    clock: { monotonicMs: () => now, unixMs: () => now },
    scheduler: {
      yield: async () => {
        now += turnMs;
      },
      after: (ms: number, run: () => void) => {
        restedMs += ms;
        run();
        return { cancel: () => undefined };
      },
    },
  } as unknown as World;
  const pace = new WorkerThrottle(world);
  pace.started();
  now += stepMs;
  await pace.rest();
  return restedMs;
}

test('steps follow each other at once while nobody else is at work', async () => {
  expect(await restAfter(20, 0)).toBe(0);
  expect(await restAfter(20, 0.5)).toBe(0);
});

test('when others were at work, they get as much time again as the step took', async () => {
  expect(await restAfter(20, 3)).toBe(20);
  expect(await restAfter(2.5, 3)).toBe(3);
});
