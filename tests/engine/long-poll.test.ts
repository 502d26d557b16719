/** Waiting for a transition to move: what ends the wait, by a clock that the test moves. */

import { afterEach, expect, test } from 'bun:test';
import { anyone } from '#access';
import type { TransitionControl } from '#catalog';
import type { Engine } from '#engine';
import type { DatabaseError } from '#failure';
import { TransitionWorker } from '#transitions';
import { manualWorld } from '../support/manual-world.ts';
import { keyPrincipal } from '../support/principals.ts';
import { buildIndex } from '../transitions/support.ts';
import { execute, openSetting, put } from './session/support.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

/** A transition that nobody works on, in its first generation. */
async function opened() {
  const world = manualWorld();
  const { engine, database } = await openSetting({ worksOnTransitions: false }, world);
  engines.push(engine);
  await execute(engine, put(1, 10));
  await execute(engine, { ...buildIndex('by_value', ['value']), name: 's' });
  const [{ transition_id: id }] = (await engine.transitions.list({})) as [TransitionControl];
  const waits = () => world.pending.filter((ms) => ms <= 1_000);
  const usual = waits().length;
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };
  /** The wait, and whether it is over. */
  const wait = (generation: number | undefined, ms: number) => {
    const state: { control?: TransitionControl } = {};
    const done = engine.transitions.getAfter(id, generation, ms, anyone).then((control) => {
      state.control = control;
    });
    return { state, done };
  };
  return { world, engine, id, database, wait, settled, timers: () => waits().length - usual };
}

test('one that has moved already is told at once, and one that has not within its time', async () => {
  const { world, wait, settled } = await opened();
  const moved = wait(0, 60_000);
  await moved.done;
  expect(moved.state.control).toMatchObject({ generation: 1, state: 'building' });
  for (const generation of [1, 2, undefined]) {
    const unmoved = wait(generation, 1_500);
    await settled();
    expect(unmoved.state).toEqual({});
    world.advance(1_000);
    await settled();
    expect(unmoved.state).toEqual({});
    world.advance(500);
    await unmoved.done;
    expect(unmoved.state.control?.generation).toBe(1);
  }
  const none = wait(undefined, 0);
  await none.done;
  expect(none.state.control?.generation).toBe(1);
});

test('a change of the catalog is noticed before its time, and leaves no timer', async () => {
  const { engine, id, wait, settled, timers } = await opened();
  const waiting = wait(undefined, 60_000);
  await settled();
  expect(timers()).toBe(1);
  const cancelled = await engine.transitions.cancel(id, anyone);
  expect(cancelled).toMatchObject({ state: 'cancelled', table: 'register', object: 'by_value' });
  await waiting.done;
  expect(waiting.state.control).toEqual(cancelled);
  expect(timers()).toBe(0);
  // It has come to its end: nobody waits for more.
  const late = wait(cancelled.generation, 60_000);
  await late.done;
  expect(late.state.control).toEqual(cancelled);
});

test('progress that nobody tells is seen a second later', async () => {
  const { world, database, wait, settled } = await opened();
  const waiting = wait(undefined, 60_000);
  await settled();
  const before = new Set(database.catalogListeners);
  database.catalogListeners.clear();
  await new TransitionWorker(database, { stepRows: 512 }).round();
  for (const listener of before) database.catalogListeners.add(listener);
  await settled();
  expect(waiting.state).toEqual({});
  world.advance(1_000);
  await waiting.done;
  expect(waiting.state.control?.generation).toBeGreaterThan(1);
});

test('an engine that stops ends all waits', async () => {
  const { engine, wait, settled, timers } = await opened();
  const waits = [wait(undefined, 60_000), wait(1, 60_000)];
  await settled();
  expect(timers()).toBe(2);
  await engine.transitions.stop();
  await Promise.all(waits.map(({ done }) => done));
  expect(waits.map(({ state }) => state.control?.generation)).toEqual([1, 1]);
  expect(timers()).toBe(0);
  const late = wait(undefined, 60_000);
  await late.done;
  expect(late.state.control?.generation).toBe(1);
});

test('one that is not there is not waited for', async () => {
  const { engine, timers } = await opened();
  const error = await engine.transitions
    .getAfter('tr99', 1, 60_000, anyone)
    .catch((it: unknown) => it);
  expect((error as DatabaseError).failure.reason).toBe('schema_transition_not_found');
  expect(timers()).toBe(0);
  expect(engine.transitions['moves']['waiting'].size).toBe(0);
});

test('a wait ends when the key of the client is revoked', async () => {
  const { world, engine, id, settled, timers } = await opened();
  const key = await engine.keys.create({ name: 'k', scopes: ['read'] }, 'test', anyone);
  const waiting = engine.transitions.getAfter(id, 1, 60_000, keyPrincipal(key.id)).then(
    () => 'moved',
    (error: DatabaseError) => error.failure.reason,
  );
  await settled();
  expect(timers()).toBe(1);
  await engine.keys.revoke(key.id, anyone);
  world.advance(1_000);
  expect(await waiting).toBe('invalid_token');
});

test('a wait ends when the token of the client is no longer valid', async () => {
  const { world, engine, id, settled } = await opened();
  const endMs = world.clock.unixMs() + 500;
  const token = keyPrincipal('i s', { kind: 'token', isValidAt: (nowMs) => nowMs < endMs });
  const waiting = engine.transitions.getAfter(id, 1, 60_000, token).then(
    () => 'moved',
    (error: DatabaseError) => error.failure.reason,
  );
  await settled();
  world.advance(1_000);
  expect(await waiting).toBe('invalid_token');
});

test('a cancellation does not commit after the key of the client is revoked', async () => {
  const { engine, id } = await opened();
  const key = await engine.keys.create({ name: 'k', scopes: ['schema'] }, 'test', anyone);
  const revoking = engine.keys.revoke(key.id, anyone);
  const cancelling = engine.transitions.cancel(id, keyPrincipal(key.id)).then(
    ({ state }) => state,
    (error: DatabaseError) => error.failure.reason,
  );
  await revoking;
  expect(await cancelling).toBe('invalid_token');
  expect((await engine.transitions.get(id)).state).toBe('building');
});
