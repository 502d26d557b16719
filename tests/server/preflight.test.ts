/** What is in the way of a remote store, as `/startupz` tells it. */

import { expect, test } from 'bun:test';
import { type BucketSight, StorageError, type StorageFault } from '#storage';
import { ServerLifecycle } from '../../src/server/lifecycle.ts';
import { Preflight } from '../../src/server/preflight.ts';
import { manualWorld } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';

function start(sights: BucketSight['kind'][], failures: StorageFault[] = []) {
  const world = manualWorld();
  const lifecycle = new ServerLifecycle(world.clock);
  const events: string[] = [];
  const timeouts: number[] = [];
  let opened = 0;
  const preflight = new Preflight({
    lifecycle,
    world,
    log: { has: () => true, write: (_level, event) => void events.push(event) },
    look: async (timeoutMs) => {
      timeouts.push(timeoutMs);
      const kind = sights.shift() ?? 'ok';
      return kind === 'ok' ? { kind } : { kind, error: new Error(kind) };
    },
  });
  const opening = preflight.opening(async () => {
    const trouble = failures.shift();
    if (trouble !== undefined) throw new StorageError(trouble);
    return ++opened;
  });
  return { preflight, lifecycle, world, events, timeouts, opening };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('opens at once when nothing is in the way, and looks no more', async () => {
  const { opening, lifecycle, events, timeouts, world } = start(['ok']);
  expect(await opening).toBe(1);
  expect(lifecycle.startup()).toBe('starting');
  expect(events).toEqual([]);
  expect(timeouts).toEqual([4000]);
  expect(world.pending).toEqual([]);
});

test('says what is in the way, every five seconds anew, and opens when it is gone', async () => {
  const { opening, lifecycle, world, events, timeouts } = start([
    'unreachable',
    'unauthorized',
    'missing',
    'missing',
    'ok',
  ]);
  const seen: string[] = [];
  for (let look = 0; look < 4; look++) {
    await turn();
    seen.push(lifecycle.startup());
    world.advance(4999);
    await turn();
    expect(timeouts).toHaveLength(look + 1);
    world.advance(1);
  }
  expect(await opening).toBe(1);
  expect(seen).toEqual([
    'storage_unreachable',
    'storage_unauthorized',
    'storage_bucket_missing',
    'storage_bucket_missing',
  ]);
  expect(lifecycle.startup()).toBe('starting');
  const down = 'storage.unavailable';
  expect(events).toEqual([down, down, down, 'storage.recovered']);
});

test('opens again after what may pass, and not after what may not', async () => {
  const passing = start(
    [],
    [
      { kind: 'unavailable', operation: 'list', object: 'x' },
      { kind: 'bucket_missing', bucket: 'x' },
    ],
  );
  for (let look = 0; look < 2; look++) {
    await turn();
    passing.world.advance(5000);
  }
  expect(await passing.opening).toBe(1);
  expect(passing.events).toEqual(['storage.opening_failed', 'storage.opening_failed']);
  const final = start([], [{ kind: 'unfit', detail: 'conditions' }]);
  expect(await outcomeOf(final.opening)).toThrow('conditions');
});

test('a stop ends the waiting', async () => {
  const { preflight, opening, world } = start(['missing']);
  await turn();
  preflight.stop();
  expect(await outcomeOf(opening)).toThrow('stopped before the store was open');
  expect(world.pending).toEqual([]);
});
