/** The observer asks the store once a second and knows what passes and what does not (docs/monitoring.md). */

import { expect, test } from 'bun:test';
import type { Engine, StorageHealth } from '#engine';
import { ServerLifecycle } from '../../src/server/lifecycle.ts';
import { StorageObserver } from '../../src/server/observer.ts';
import { manualWorld } from '../support/manual-world.ts';

function observe() {
  const world = manualWorld();
  const lifecycle = new ServerLifecycle(world.clock);
  const events: string[] = [];
  let written: unknown;
  let health: StorageHealth = { kind: 'ok', damaged: [], threadsLost: 0 };
  const causes: Error[] = [];
  let asked = 0;
  const state: { threadsLost: number; lockUnavailable?: string } = { threadsLost: 0 };
  const engine = {
    isReady: true,
    checkStorage: async () => {
      asked++;
      return health;
    },
    endWrites: () => void events.push('writes ended'),
  };
  const log = {
    has: () => true,
    write(_level: string, event: string, fields?: unknown) {
      events.push(event);
      written = fields;
    },
  };
  const observer = new StorageObserver({ engine, lifecycle, world, log });
  lifecycle.opened(engine as unknown as Engine);
  observer.start();
  /** Lets a second pass, in which the store is as given. */
  let isWorker = false;
  const workerEnds = () => {
    isWorker = true;
  };
  const second = async (kind: StorageHealth['kind'], ...damaged: string[]) => {
    const found = damaged.map((table) => ({ table, kind: 'corrupt' as const, detail: '' }));
    health =
      kind === 'ok'
        ? { kind, damaged: found, ...state }
        : { kind, error: new Error(kind, { cause: causes.shift() }), isWorker };
    world.advance(1000);
    await world.scheduler.yield();
  };
  return {
    world,
    lifecycle,
    events,
    causes,
    observer,
    second,
    state,
    asked: () => asked,
    fields: () => written,
    workerEnds,
  };
}

test('threads that merges lose are told of as they are lost', async () => {
  const { events, second, state } = observe();
  await second('ok');
  state.threadsLost = 2;
  await second('ok');
  await second('ok');
  expect(events).toEqual(['scheduler.worker_lost']);
});

test('a directory that cannot be locked is reported once', async () => {
  const { events, second, state } = observe();
  state.lockUnavailable = 'flock: not supported';
  await second('ok');
  await second('ok');
  expect(events).toEqual(['storage.unlocked']);
});

test('the worker of transitions is told of by its name', async () => {
  const { events, second, workerEnds } = observe();
  workerEnds();
  await second('failed');
  expect(events).toEqual(['scheduler.worker_lost', 'writes ended', 'storage.failed']);
});

test('an outage passes', async () => {
  const { lifecycle, events, second, asked } = observe();
  await second('ok');
  await second('unavailable');
  expect(lifecycle.ready()).toBe('storage_unavailable');
  await second('unavailable');
  await second('ok');
  expect(lifecycle.ready()).toBe('serving');
  expect(events).toEqual(['storage.unavailable', 'storage.recovered']);
  expect(asked()).toBe(4);
});

test('an outage is logged with its causes and a remedy', async () => {
  const { second, fields, causes } = observe();
  causes.push(new Error('EPERM: operation not permitted'));
  await second('unavailable');
  expect(fields()).toEqual({
    error: 'Error: unavailable; caused by Error: EPERM: operation not permitted',
    remedy: expect.stringContaining('continues without a restart'),
  });
});

test('a damaged table is reported once', async () => {
  const { lifecycle, events, second } = observe();
  await second('ok', 'sst/1');
  await second('ok', 'sst/1');
  expect(lifecycle.ready()).toBe('serving');
  expect(events).toEqual(['storage.damaged']);
  await second('ok', 'sst/1', 'sst/2');
  expect(events).toEqual(['storage.damaged', 'storage.damaged']);
});

test('a fenced writer is lost', async () => {
  const { lifecycle, events, observer, second, world } = observe();
  await second('fenced');
  expect(await observer.lost).toBe('fenced');
  expect([lifecycle.ready(), lifecycle.live()]).toEqual(['fenced', 'live']);
  expect(events).toEqual(['storage.fenced']);
  expect(world.pending).toEqual([]);
});

test('a broken log fails liveness', async () => {
  const { lifecycle, events, observer, second } = observe();
  await second('failed');
  expect(await observer.lost).toBe('task_failed');
  expect(lifecycle.live()).toBe('task_failed');
  expect(events).toEqual(['writes ended', 'storage.failed']);
});

test('a database that must be opened again is an outage until it is', async () => {
  const { lifecycle, events, observer, second, world } = observe();
  await second('broken');
  expect(await observer.lost).toBe('broken');
  expect([lifecycle.ready(), lifecycle.live()]).toEqual(['storage_unavailable', 'live']);
  lifecycle.interrupted();
  expect(lifecycle.engine).toBeUndefined();
  expect([lifecycle.ready(), lifecycle.startup()]).toEqual(['storage_unavailable', 'started']);
  lifecycle.opened({ isReady: true } as Engine);
  expect(lifecycle.ready()).toBe('serving');
  expect(events).toEqual(['storage.unavailable']);
  expect(world.pending).toEqual([]);
});

test('a look that gets no answer lets readiness go stale', async () => {
  const world = manualWorld();
  const lifecycle = new ServerLifecycle(world.clock);
  const engine = {
    isReady: true,
    checkStorage: () => new Promise<StorageHealth>(() => {}),
    endWrites: () => {},
  };
  const log = { has: () => true, write: () => {} };
  const observer = new StorageObserver({ engine, lifecycle, world, log });
  lifecycle.opened(engine as unknown as Engine);
  observer.start();
  world.advance(15_000);
  expect(lifecycle.ready()).toBe('serving');
  world.advance(1);
  expect(lifecycle.ready()).toBe('storage_stale');
  observer.stop();
});

test('after its stop it neither asks nor tells', async () => {
  const { events, observer, second, asked } = observe();
  observer.stop();
  await second('fenced');
  expect([asked(), events]).toEqual([0, []]);
});
