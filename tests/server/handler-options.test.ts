/** What the log is told of requests. */

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
