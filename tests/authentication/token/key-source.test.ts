/** The keys of the issuer over time: intervals, failures, and refreshes for unknown keys. */

import { describe, expect, test } from 'bun:test';
import {
  KeySource,
  type KeySourceEvent,
  keySourceOf,
  RefusedKeySet,
  urlIntervalMs,
} from '#authentication';
import { manualWorld } from '../../support/manual-world.ts';
import { every, jwkOf, newPair, pairs, setOf } from './issuer.ts';

const minuteMs = 60_000;
const first = setOf(jwkOf(pairs.RS256));
const second = setOf(jwkOf(pairs.EdDSA));

/** A source whose next readings are `results`, the last one repeated. */
function sourceOf(...results: (Uint8Array | Error)[]) {
  const world = manualWorld();
  const events: KeySourceEvent[] = [];
  const state = { readings: 0, hold: undefined as Promise<void> | undefined };
  const source = new KeySource({
    world,
    algorithms: every,
    intervalMs: urlIntervalMs,
    report: (event) => events.push(event),
    load: async () => {
      state.readings++;
      const result = results.length > 1 ? results.shift() : results[0];
      await state.hold;
      if (result instanceof Error) throw result;
      return result as Uint8Array;
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Moves the clock minute by minute, so that each reading can finish. */
  const wait = async (ms: number) => {
    for (let left = ms; left > 0; left -= minuteMs) {
      world.advance(Math.min(left, minuteMs));
      await settle();
      await settle();
    }
  };
  const ids = () => source.current.keys.map(({ id }) => id);
  return { world, events, state, source, wait, ids };
}

const failure = new RefusedKeySet('expected status 200, got 500');

test('keys are read at the start and every five minutes', async () => {
  const { source, state, wait, ids } = sourceOf(first, second);
  await source.start();
  expect([source.isReady, ids()]).toEqual([true, ['rs256']]);
  await wait(urlIntervalMs - 1000);
  expect(state.readings).toBe(1);
  await wait(1000);
  expect([state.readings, ids()]).toEqual([2, ['eddsa']]);
});

test('an equal set keeps its generation, a changed one gets the next', async () => {
  const { source, events, wait } = sourceOf(
    first,
    setOf(jwkOf(pairs.RS256, { use: 'sig' })),
    second,
  );
  await source.start();
  await wait(urlIntervalMs);
  expect(source.current.generation).toBe(1);
  await wait(urlIntervalMs);
  expect(source.current.generation).toBe(2);
  expect(events).toEqual([
    { kind: 'replaced', keys: 1 },
    { kind: 'replaced', keys: 1 },
  ]);
});

test('a set without usable keys is a set', async () => {
  const { source, ids, wait } = sourceOf(first, setOf());
  await source.start();
  await wait(urlIntervalMs);
  expect([source.isReady, ids(), source.current.generation]).toEqual([true, [], 2]);
});

describe('a failure', () => {
  test('is followed by another attempt after 30 s', async () => {
    const { source, state, wait, events, ids } = sourceOf(failure, first);
    await source.start();
    expect([source.isReady, state.readings]).toEqual([false, 1]);
    await wait(29_000);
    expect(state.readings).toBe(1);
    await wait(1000);
    expect([source.isReady, ids()]).toEqual([true, ['rs256']]);
    expect(events[0]).toEqual({ kind: 'failed', problem: failure.message, keysRemain: false });
  });

  test('keeps the old keys for 24 h', async () => {
    const { source, wait, ids, events } = sourceOf(first, failure);
    await source.start();
    await wait(24 * 60 * minuteMs - minuteMs);
    expect([source.isReady, ids()]).toEqual([true, ['rs256']]);
    expect(events.at(-1)).toMatchObject({ keysRemain: true });
    await wait(2 * minuteMs);
    expect([source.isReady, ids(), source.current.generation]).toEqual([false, [], 2]);
    expect(events.at(-1)).toMatchObject({ keysRemain: false });
  });

  test('counts 24 h from the last success', async () => {
    const results = [first, ...Array.from({ length: 2000 }, () => failure), first, failure];
    const { source, wait, ids } = sourceOf(...results);
    await source.start();
    await wait(17 * 60 * minuteMs);
    await wait(20 * 60 * minuteMs);
    expect([source.isReady, ids()]).toEqual([true, ['rs256']]);
  });

  test.each([
    ['one kid for two keys', setOf(jwkOf(pairs.RS256), jwkOf(newPair('RS256')))],
    ['not a set', Buffer.from('<html>')],
  ])('of the content keeps the old keys: %s', async (_, bytes) => {
    const { source, wait, ids } = sourceOf(first, bytes);
    await source.start();
    await wait(urlIntervalMs);
    expect([ids(), source.current.generation]).toEqual([['rs256'], 1]);
  });

  test('of the network leaves the process running', async () => {
    const { source, events } = sourceOf(new TypeError('connection refused'));
    await source.start();
    expect(events).toMatchObject([{ problem: 'TypeError: connection refused' }]);
  });
});

describe('a refresh for an unknown key', () => {
  test('happens at most every 30 s', async () => {
    const { source, state, world } = sourceOf(first);
    await source.start();
    for (let i = 0; i < 10; i++) await source.refresh();
    expect(state.readings).toBe(2);
    world.advance(29_999);
    await source.refresh();
    expect(state.readings).toBe(2);
    world.advance(1);
    await source.refresh();
    expect(state.readings).toBe(3);
  });

  test('is shared by simultaneous requests', async () => {
    const { source, state, ids } = sourceOf(first, second);
    await source.start();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.hold = promise;
    const waits = Array.from({ length: 100 }, () => source.refresh());
    resolve();
    await Promise.all(waits);
    expect([state.readings, ids()]).toEqual([2, ['eddsa']]);
  });

  test('moves the next reading', async () => {
    const { source, world } = sourceOf(first);
    await source.start();
    world.advance(urlIntervalMs / 2);
    await source.refresh();
    expect(world.pending).toEqual([urlIntervalMs]);
  });
});

test('a stopped source reads no more', async () => {
  const { source, world, state, ids } = sourceOf(first, second);
  await source.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  state.hold = promise;
  const reading = source.refresh();
  source.stop();
  resolve();
  await reading;
  expect([world.pending, ids()]).toEqual([[], ['rs256']]);
});

test('a file is read every 10 s, and a URL every five minutes', async () => {
  const started = async (origin: Parameters<typeof keySourceOf>[0]) => {
    const world = manualWorld();
    const source = keySourceOf(origin, {
      world,
      algorithms: every,
      report: () => {},
      readFile: async () => first,
      fetch: async () => new Response(first as Uint8Array<ArrayBuffer>),
    });
    await source.start();
    return [source.current.keys.length, world.pending];
  };
  expect(await started({ kind: 'file', path: '/keys.json' })).toEqual([1, [10_000]]);
  expect(await started({ kind: 'url', url: 'https://keys.example' })).toEqual([1, [300_000]]);
});
