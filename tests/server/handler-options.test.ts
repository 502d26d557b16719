/** Options of the handler: those that come from the configuration, and the log entries about requests. */

import { expect, test } from 'bun:test';
import { readConfiguration } from '#server';
import { handlerOptions } from '../../src/server/handler-options.ts';
import { ServerLifecycle } from '../../src/server/lifecycle.ts';
import { manualWorld } from '../support/manual-world.ts';

test('a probe that fails while the server starts is no warning', () => {
  const world = manualWorld();
  const levels: string[] = [];
  const log = { has: () => false, write: (level: string) => void levels.push(level) };
  const lifecycle = new ServerLifecycle(world.clock);
  const pressure = () => {
    throw new Error('nobody asks');
  };
  const options = handlerOptions(readConfiguration({}, {}), { lifecycle, world, log, pressure });
  options.onProbeFailed?.('/readyz', 'starting');
  options.onProbeFailed?.('/readyz', 'draining');
  expect(levels).toEqual(['debug', 'warn']);
});

test('the time that a connection may be idle is the one of the configuration', () => {
  const world = manualWorld();
  const log = { has: () => false, write: () => {} };
  const lifecycle = new ServerLifecycle(world.clock);
  const configuration = readConfiguration({ 'keep-alive-timeout-ms': '90000' }, {});
  const pressure = () => 'normal' as const;
  const options = handlerOptions(configuration, { lifecycle, world, log, pressure });
  expect(options.keepAliveMs).toBe(90_000);
});
