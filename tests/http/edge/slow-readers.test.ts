/** Which readers count as too slow, tick by tick. */

import { expect, test } from 'bun:test';
import { SlowReaders } from '../../../src/http/edge/slow-readers.ts';
import { manualWorld } from '../../support/manual-world.ts';

const tickMs = 5000;

function watched(takenAtTick: (tick: number) => number, ticks: number): number | undefined {
  const world = manualWorld();
  const readers = new SlowReaders(world.scheduler);
  let closedAt: number | undefined;
  const reader = {
    takenBytes: 0,
    giveUp: () => {
      closedAt ??= world.clock.monotonicMs();
      readers.forget(reader);
    },
  };
  const startedMs = world.clock.monotonicMs();
  readers.watch(reader);
  for (let tick = 1; tick <= ticks; tick++) {
    reader.takenBytes = takenAtTick(tick);
    world.advance(tickMs);
  }
  return closedAt === undefined ? undefined : closedAt - startedMs;
}

test('a reader that takes nothing is closed after thirty seconds, not before', () => {
  expect(watched(() => 0, 5)).toBeUndefined();
  expect(watched(() => 0, 20)).toBe(30_000);
});

test('what was taken at first does not help for longer than thirty seconds', () => {
  expect(watched(() => 1 << 30, 20)).toBe(35_000);
});

test('16 KiB a second is enough, a byte less is not', () => {
  const perTick = 16 * 1024 * 5;
  expect(watched((tick) => tick * perTick, 1000)).toBeUndefined();
  expect(watched((tick) => tick * perTick - 1, 6)).toBe(30_000);
});

test('what comes in lumps is judged over thirty seconds', () => {
  const lump = 16 * 1024 * 30;
  expect(watched((tick) => Math.ceil(tick / 6) * lump, 1000)).toBeUndefined();
});

test('no timer runs while nobody is watched', () => {
  const world = manualWorld();
  const readers = new SlowReaders(world.scheduler);
  const reader = { takenBytes: 0, giveUp: () => {} };
  expect(world.pending).toEqual([]);
  readers.watch(reader);
  expect(world.pending).toEqual([tickMs]);
  readers.forget(reader);
  expect(world.pending).toEqual([]);
});
