/** The states behind the probes (docs/monitoring.md). */

import { expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { ServerLifecycle } from '../../src/server/lifecycle.ts';
import { manualWorld } from '../support/manual-world.ts';

const engine = { isReady: true } as Engine;

function lifecycle() {
  const world = manualWorld();
  const state = new ServerLifecycle(world.clock);
  return { world, state, probes: () => [state.live(), state.ready(), state.startup()] };
}

test('starting, serving, draining', () => {
  const { state, probes } = lifecycle();
  expect(probes()).toEqual(['live', 'starting', 'starting']);
  state.opened(engine);
  expect(probes()).toEqual(['live', 'serving', 'started']);
  state.drain();
  expect(probes()).toEqual(['draining', 'draining', 'started']);
});

test('a stop during the start is final', () => {
  const { state, probes } = lifecycle();
  state.drain();
  state.opened(engine);
  expect(probes()).toEqual(['draining', 'draining', 'started']);
});

test('a failed observation fails readiness only, and the next success ends that', () => {
  const { state, probes } = lifecycle();
  state.opened(engine);
  state.observed(false);
  expect(probes()).toEqual(['live', 'storage_unavailable', 'started']);
  state.observed(true);
  expect(probes()).toEqual(['live', 'serving', 'started']);
});

test('opening counts as a success, which goes stale after 15 seconds', () => {
  const { world, state, probes } = lifecycle();
  state.opened(engine);
  world.advance(15_000);
  expect(probes()).toEqual(['live', 'serving', 'started']);
  world.advance(1);
  expect(probes()).toEqual(['live', 'storage_stale', 'started']);
  state.observed(false);
  expect(state.ready()).toBe('storage_unavailable');
});

test('fenced comes before everything else of readiness and stays', () => {
  const { state, probes } = lifecycle();
  state.opened(engine);
  state.lost('fenced');
  state.observed(false);
  expect(probes()).toEqual(['live', 'fenced', 'started']);
  state.drain();
  state.observed(true);
  expect(probes()).toEqual(['draining', 'fenced', 'started']);
});

test('a lost task fails liveness, also while draining', () => {
  const { state, probes } = lifecycle();
  state.opened(engine);
  state.lost('task_failed');
  expect(probes()).toEqual(['task_failed', 'serving', 'started']);
  state.drain();
  expect(probes()).toEqual(['task_failed', 'draining', 'started']);
});

test('a closed engine is not handed out any more', () => {
  const { state } = lifecycle();
  state.opened(engine);
  expect(state.engine).toBe(engine);
  state.closed();
  expect(state.engine).toBeUndefined();
});

test('a database that has to be opened again is an outage until it is open', () => {
  const { state, probes } = lifecycle();
  state.opened(engine);
  state.interrupted();
  expect(state.engine).toBeUndefined();
  expect(probes()).toEqual(['live', 'storage_unavailable', 'started']);
  state.opened(engine);
  expect(state.engine).toBe(engine);
  expect(probes()).toEqual(['live', 'serving', 'started']);
});
